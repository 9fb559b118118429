#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/execution_spaces.hpp>
#include <ashlar/base/lists.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/comm/peer/peer_memory.hpp>
#include <ashlar/comm/rank_devices.hpp>
#include <ashlar/comm/stream_transport.hpp>
#include <ashlar/device/events/event.hpp>
#include <ashlar/device/graphs/captured_work.hpp>
#include <ashlar/device/packets/packet.hpp>
#include <ashlar/device/packets/time_limit.hpp>
#include <ashlar/device/runtime/priority_instance.hpp>
#include <ashlar/distributed/space.hpp>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

// Sums over ranks, compiled here alone.

namespace ashlar::impl {

/// Adds number k of all ranks, in rank order.
struct AddInRankOrder {
  const double* all;
  double* sums;
  std::int64_t count;
  int num_ranks;

  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t k) const {
    double sum = 0;
    for (int rank = 0; rank < num_ranks; ++rank) sum += all[rank * count + k];
    sums[k] = sum;
  }
};

/// Sums over ranks by a gathering in the order of streams, on a stream beside the caller's, and a kernel that adds. The
/// host does not wait. One sum at a time.
template <execution_space Exec>
class StreamSums final : public DeviceSums<Exec> {
 public:
  /// `transport` has `num_ranks` ranks. Other sums and exchanges of the same order share it.
  StreamSums(const Exec& exec, std::shared_ptr<StreamTransport> transport, int num_ranks)
      : side_(exec),
        transport_(std::move(transport)),
        num_ranks_(num_ranks),
        is_ready_(exec),
        has_come_(exec),
        has_come_in_capture_(exec) {
    make_room(exec, 64);
  }
  ~StreamSums() override {
    // If this rank leaves early, the other ranks may never send the data that the device waits for.
    if (has_begun_ || std::uncaught_exceptions() > 0) transport_->abort();
    has_come_.wait();
  }

  void begin(const Exec& exec, const double* mine, std::size_t count) override {
    make_room(exec, count);
    if (Capture<Exec>* const capture = Capture<Exec>::current()) follow(*capture);
    if constexpr (is_gpu_v<Exec>) {
      // This includes the kernel of the previous sum, which reads `all`.
      is_ready_.record(exec);
      is_ready_.wait(side_.get());
    } else {
      exec.fence("ashlar::distributed_space: sums of this rank");
    }
    transport_->all_gather(mine, count * sizeof(double), all_.data(), side_.stream());
    come().record(side_.get());
    has_begun_ = true;
  }

  void end(const Exec& exec, double* sums, std::size_t count) override {
    come().wait(exec);
    has_begun_ = false;
    const auto number = static_cast<std::int64_t>(count);
    Kokkos::parallel_for("ashlar::distributed_space[sum]",
                         Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, number),
                         AddInRankOrder{all_.data(), sums, number, num_ranks_});
  }

  void check() const override { transport_->check(); }

 private:
  /// During a capture, an event that nothing outside of it waits for.
  Event<Exec>& come() { return Capture<Exec>::current() != nullptr ? has_come_in_capture_ : has_come_; }

  /// Later sums wait for a replay as for the work enqueued last.
  void follow(Capture<Exec>& capture) {
    if (std::exchange(followed_, capture.number()) == capture.number()) return;
    capture.at_replay([this](const Exec& exec) { has_come_.record(exec); });
  }

  void make_room(const Exec& exec, std::size_t count) {
    const std::size_t needed = count * std::size_t(num_ranks_);
    if (needed <= all_.extent(0)) return;
    exec.fence("ashlar::distributed_space: the sum before");
    all_ = Kokkos::View<double*, typename Exec::memory_space>(
        Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, std::string("ashlar::distributed_space::all")), needed);
    exec.fence("ashlar::distributed_space: more sums");
  }

  PriorityInstance<Exec> side_;
  std::shared_ptr<StreamTransport> transport_;
  int num_ranks_;
  Kokkos::View<double*, typename Exec::memory_space> all_;
  Event<Exec> is_ready_, has_come_, has_come_in_capture_;
  std::uint64_t followed_ = 0;  // number of the capture
  bool has_begun_ = false;
};

/// The address of packets.
struct PeerPackets {
  Packet* first = nullptr;
};

/// The numbers of the last sum begun and of the last sum ended, from 1. Kernels count themselves, so that they can be
/// captured and replayed: each writes one of the two after it has read the other.
struct PeerSumNumbers {
  std::uint32_t begun = 0, ended = 0;
};

/// Writes this rank's numbers to the memory of each rank: number k to packet k of this rank's packets there.
template <class Targets>
struct SendSums {
  Targets targets;         ///< by rank, the address of its packets from this rank
  std::int64_t slot_size;  ///< packets of a slot
  const double* mine;
  std::int64_t count;
  PeerSumNumbers* numbers;

  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t rank = i / count, k = i - rank * count;
    const std::uint32_t number = numbers->ended + 1;
    if (i == 0) numbers->begun = number;
    send_packet<PacketScope::system>(targets(rank).first + number % 2 * slot_size + k, mine[k], number);
  }
};

/// Waits for the packets of all ranks, and adds them in rank order.
struct AddSums {
  const Packet* packets;  ///< of rank 0; the packets of the next rank are `apart` further
  std::int64_t apart, slot_size;
  double* sums;
  int num_ranks;
  PeerSumNumbers* numbers;
  TimeLimit limit;

  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t k) const {
    const std::uint32_t number = numbers->begun;
    double sum = 0;
    for (int rank = 0; rank < num_ranks; ++rank) {
      double value = 0;
      const Packet* const packet = packets + number % 2 * slot_size + rank * apart + k;
      if (!wait_until([&] { return receive_packet<PacketScope::system>(packet, number, value); }, limit)) {
        value = Kokkos::Experimental::quiet_NaN_v<double>;  // a partial sum must not pass for a sum
      }
      sum += value;
    }
    sums[k] = sum;
    if (k == 0) numbers->ended = number;
  }
};

/// Sums over ranks of one host, by kernels that write packets to each other's memory and wait for packets.
///
/// Sums use two slots of packets alternately. A rank that begins a sum has ended the previous one, for which it
/// received packets from all ranks. So all ranks have ended the sum before that, whose slot the new sum uses.
template <execution_space Exec>
class PeerSums final : public DeviceSums<Exec> {
 public:
  /// Collective.
  ///
  /// Throws   on all ranks together, if they cannot share memory.
  PeerSums(const Exec& exec, const Communicator& comm, double time_out_seconds)
      : comm_(comm.duplicate()),
        channel_(time_out_seconds),
        numbers_(Kokkos::view_alloc(exec, "ashlar::distributed_space::numbers")),
        added_(exec) {
    make_room(exec, 64);
  }
  ~PeerSums() override { added_.wait(); }

  void begin(const Exec& exec, const double* mine, std::size_t count) override {
    check();
    make_room(exec, count);
    if (Capture<Exec>* const capture = Capture<Exec>::current()) follow(*capture);
    const auto number = std::int64_t(count);
    Kokkos::parallel_for("ashlar::distributed_space[send]", policy(exec, number * comm_.size()),
                         SendSums<Targets>{targets_, slot_size(), mine, number, numbers_.data()});
  }

  void end(const Exec& exec, double* sums, std::size_t count) override {
    const AddSums body{reinterpret_cast<const Packet*>(channel_.memory().own()),
                       room_,
                       slot_size(),
                       sums,
                       comm_.size(),
                       numbers_.data(),
                       channel_.limit()};
    if constexpr (is_gpu_v<Exec>) {
      Kokkos::parallel_for("ashlar::distributed_space[sum]", policy(exec, std::int64_t(count)), body);
    } else {
      exec.fence("ashlar::distributed_space: sums of this rank");
      // On the host no kernel waits: it would keep others from fencing its instance.
      for (std::size_t k = 0; k < count; ++k) body(std::int64_t(k));
      check();
    }
    if (Capture<Exec>::current() == nullptr) added_.record(exec);
  }

  void check() const override { channel_.check("distributed_space", "another rank's part of a sum"); }

 private:
  using memory_space = typename Exec::memory_space;
  using Targets = Kokkos::View<PeerPackets*, memory_space>;  // by rank

  static auto policy(const Exec& exec, std::int64_t count) {
    return Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, count);
  }

  /// The number of packets of a sum in the memory of a rank.
  std::int64_t slot_size() const { return comm_.size() * room_; }

  /// Later sums wait for a replay as for the work enqueued last.
  void follow(Capture<Exec>& capture) {
    if (std::exchange(followed_, capture.number()) == capture.number()) return;
    capture.at_replay([this](const Exec& exec) { added_.record(exec); });
  }

  /// Makes room for `count` sums. Collective if it grows.
  void make_room(const Exec& exec, std::size_t count) {
    if (std::int64_t(count) <= room_) return;
    exec.fence("ashlar::distributed_space: the sum before");
    room_ = std::int64_t(count);
    channel_.allocate(exec, comm_.duplicate(), sizeof(Packet) * std::size_t(2 * slot_size()));
    std::vector<PeerPackets> here;
    for (int rank = 0; rank < comm_.size(); ++rank) {
      here.push_back({reinterpret_cast<Packet*>(channel_.memory().of(rank)) + comm_.rank() * room_});
    }
    targets_ = view_from(exec, "ashlar::distributed_space::targets", here);
  }

  Communicator comm_;
  PeerChannel<Exec> channel_;
  Kokkos::View<PeerSumNumbers, memory_space> numbers_;
  Event<Exec> added_;
  Targets targets_;
  std::int64_t room_ = 0;
  std::uint64_t followed_ = 0;  // number of the capture
};

template <execution_space Exec>
std::unique_ptr<DeviceSums<Exec>> make_device_sums(const Exec& exec, const Communicator& comm, ExchangeMode mode,
                                                   double time_out_seconds) {
  if (mode == ExchangeMode::kernel) {
    comm.together([&] { check_time_out("distributed_space", time_out_seconds); });
    return std::make_unique<PeerSums<Exec>>(exec, comm, time_out_seconds);
  }
  const StreamMessages streams = find_stream_messages(comm, memory_kind_of<typename Exec::memory_space>);
  if (!streams.work) {
    throw ArgumentError("distributed_space: sums in the order of streams", streams.why, "send them as messages");
  }
  const std::shared_ptr<StreamTransport>& own = comm.own_streams();
  return comm.together([&] { return std::make_unique<StreamSums<Exec>>(exec, own, comm.size()); });
}

#define ASHLAR_SUMS_OF(Exec) \
  template std::unique_ptr<DeviceSums<Exec>> make_device_sums(const Exec&, const Communicator&, ExchangeMode, double);
ASHLAR_FOR_EACH_EXECUTION_SPACE(ASHLAR_SUMS_OF)
#undef ASHLAR_SUMS_OF

}  // namespace ashlar::impl
