#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/text.hpp>
#include <ashlar/comm/error.hpp>
#include <ashlar/comm/peer/peer_memory.hpp>
#include <ashlar/device/capture.hpp>
#include <ashlar/device/event.hpp>
#include <ashlar/halo/impl/exchange_way.hpp>
#include <ashlar/halo/impl/peer_kernels.hpp>
#include <ashlar/halo/impl/peer_routes.hpp>
#include <ashlar/halo/neighbour_message.hpp>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ashlar::impl {

/// The kernel mode: a kernel copies what was packed to the memory of the neighbours and raises a flag there; another
/// one waits for the flags of the neighbours' data. The host waits for nothing (where kernels run on the host, these
/// wait).
///
/// A kernel that waits too long gives up, and with it all that follow; the next call here says so.
///
/// Kernels know by themselves which exchange theirs is, so that they may be captured. Captured exchanges are of one
/// instance, which orders them, what was enqueued before, and their replays.
template <execution_space Exec>
class PeerWay final : public ExchangeWay<Exec> {
 public:
  /// Collective. Allocates, and waits for `exec`.
  ///
  /// Throws   CommError on all ranks, where they cannot share memory.
  PeerWay(const Exec& exec, Communicator comm, const std::vector<NeighbourMessage>& to,
          const std::vector<NeighbourMessage>& from, std::int64_t send_bytes, double time_out_seconds)
      : patience_ns_(patience_of(time_out_seconds)),
        routes_(comm, to, from),
        memory_(exec, std::move(comm), std::size_t(routes_.segment_bytes())),
        sent_all_(exec),
        landed_(exec) {
    memory_.comm().together([&] { allocate(exec, to, from, send_bytes); });
  }

  std::byte* open(const Exec& exec, int slot) override {
    if (Capture<Exec>* const capture = Capture<Exec>::current()) {
      if (std::exchange(followed_, capture->number()) != capture->number()) {
        // Each replay begins with the slot that is captured here. What follows a replay has the slot after its last.
        skip_to(exec, slot);
        capture->at_replay([this](const Exec& on) {
          sent_all_.record(on);
          landed_.record(on);
        });
      }
    } else {
      sent_all_.wait(exec);
    }
    return buffer_.data();
  }
  std::byte* outgoing(int) override { return buffer_.data(); }
  void start(const Exec& exec, int) override {
    check();
    ++num_started_;
    if (chunks_.extent(0) > 0) {
      routes_.word_bytes() >= 16  ? put<PeerWord>(exec)
      : routes_.word_bytes() >= 4 ? put<std::uint32_t>(exec)
                                  : put<std::byte>(exec);
    }
    if (is_captured()) return;
    for (const PeerRoutes::To& to : routes_.to()) sent_.add(to.bytes);
  }

  void begin_landing(const Exec&, int) override {
    check();
    num_given_ = 0;
  }
  int wait_for_any(const Exec& exec, int) override {
    if (num_given_ == int(gets_.extent(0))) return -1;
    wait(exec, num_given_, 1);
    return num_given_++;
  }
  void wait_for_all(const Exec& exec, int) override { wait(exec, 0, int(gets_.extent(0))); }
  void finish_landing(const Exec& exec, int) override {
    if (!is_captured()) landed_.record(exec);
  }
  const std::byte* received(int slot) const override {
    return memory_.own() + routes_.slots_begin() + slot * routes_.slot_bytes();
  }

  void wait_for_sends() noexcept override {}
  void wait_for_device() noexcept override {
    sent_all_.wait();
    landed_.wait();
  }

  void check() const override {
    if (*static_cast<volatile const int*>(gave_up_.data()) == 0) return;
    throw CommError(text("halo: rank ", memory_.comm().rank(), " has waited ", 1e-9 * double(patience_ns_),
                         " s in a kernel for data of another rank, or for its own to be taken"),
                    "that rank has ended or hangs", "look for its message");
  }

  bool is_stream_ordered() const override { return is_gpu_v<Exec>; }
  bool is_staged() const override { return false; }
  const HaloCount& sent() const override { return sent_; }
  const HaloCount& received_messages() const override { return received_; }
  double waited_seconds() const override { return waited_seconds_; }
  std::string explain() const override { return text("by kernels, through ", memory_.explain()); }
  HeldBytes bytes() const override { return {std::uint64_t(routes_.segment_bytes()) + buffer_.size(), 0}; }

 private:
  using memory_space = typename Exec::memory_space;
  template <class Item>
  using List = Kokkos::View<Item*, memory_space>;
  using Flag = Kokkos::View<int, std::conditional_t<is_gpu_v<Exec>, Kokkos::SharedHostPinnedSpace, memory_space>>;

  static constexpr std::int64_t chunk_bytes = 16384;

  static bool is_captured() { return Capture<Exec>::current() != nullptr; }

  void allocate(const Exec& exec, const std::vector<NeighbourMessage>& to, const std::vector<NeighbourMessage>& from,
                std::int64_t send_bytes) {
    buffer_ = List<std::byte>(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "ashlar::halo::send"),
                              std::size_t(send_bytes));
    gave_up_ = Flag("ashlar::halo::gave_up");
    num_landed_of_ = List<std::uint64_t>(Kokkos::view_alloc(exec, "ashlar::halo::num_landed"), from.size());
    skipped_ = List<std::uint64_t>(Kokkos::view_alloc(exec, "ashlar::halo::skipped"), 1);
    std::vector<PeerPut> puts;
    std::vector<PeerGet> gets;
    std::vector<PeerChunk> chunks;
    std::vector<PeerCounter> counters;
    const auto flag = [&](int rank, std::int64_t offset) {
      return reinterpret_cast<PeerFlag*>(memory_.of(rank) + offset);
    };
    const int rank = memory_.comm().rank();
    for (std::size_t k = 0; k < to.size(); ++k) {
      const PeerRoutes::To& route = routes_.to()[k];
      puts.push_back({to[k].begin, to[k].count, memory_.of(to[k].rank) + route.slots, route.slot_bytes,
                      flag(to[k].rank, route.arrived), flag(rank, routes_.taken_flag(int(k)))});
      std::uint64_t count = 0;
      for (std::int64_t begin = 0; begin == 0 || begin < to[k].count; begin += chunk_bytes, ++count) {
        chunks.push_back({int(k), begin, std::min(chunk_bytes, to[k].count - begin)});
      }
      counters.push_back({0, count});
    }
    for (std::size_t k = 0; k < from.size(); ++k) {
      gets.push_back({flag(rank, routes_.arrived_flag(int(k))), flag(from[k].rank, routes_.from()[k].taken)});
      received_bytes_.push_back(from[k].count);
    }
    puts_ = listed(exec, puts);
    gets_ = listed(exec, gets);
    chunks_ = listed(exec, chunks);
    counters_ = listed(exec, counters);
  }

  template <class Item>
  static List<Item> listed(const Exec& exec, const std::vector<Item>& items) {
    const List<Item> there(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "ashlar::halo::peers"), items.size());
    using Here = Kokkos::View<const Item*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
    if (!items.empty()) Kokkos::deep_copy(exec, there, Here(items.data(), items.size()));
    exec.fence("ashlar::halo: lists of peers");
    return there;
  }

  /// Has the next exchange be one of this slot.
  void skip_to(const Exec& exec, int slot) {
    if (gets_.extent(0) == 0 && puts_.extent(0) == 0) return;
    const SkipToSlot<List<PeerGet>, List<std::uint64_t>, List<PeerCounter>> body{
        gets_, num_landed_of_, counters_, skipped_.data(), slot, num_exchange_slots};
    Kokkos::parallel_for("ashlar::halo[skip]", Kokkos::RangePolicy<Exec>(exec, 0, 1), body);
  }

  template <class Word>
  void put(const Exec& exec) {
    if constexpr (!is_gpu_v<Exec>) wait_until_taken();
    const PutToPeers<Word, List<PeerPut>, List<PeerChunk>, List<PeerCounter>> body{
        puts_, chunks_, counters_, buffer_.data(), skipped_.data(), num_exchange_slots, patience()};
    Kokkos::parallel_for("ashlar::halo[put]",
                         Kokkos::TeamPolicy<Exec>(exec, int(chunks_.extent(0)), is_gpu_v<Exec> ? 256 : 1), body);
    if (!is_captured()) sent_all_.record(exec);
  }

  void wait(const Exec& exec, int first, int count) {
    if (count == 0) return;
    const WaitForPeers<List<PeerGet>, List<std::uint64_t>> body{gets_, num_landed_of_, skipped_.data(), first,
                                                                patience()};
    if constexpr (is_gpu_v<Exec>) {
      Kokkos::parallel_for("ashlar::halo[wait]", Kokkos::RangePolicy<Exec>(exec, 0, count), body);
    } else {
      exec.fence("ashlar::halo: read what came before");
      const auto begin = std::chrono::steady_clock::now();
      for (int i = 0; i < count; ++i) body(i);
      waited_seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    }
    for (int k = first; k < first + count && !is_captured(); ++k) received_.add(received_bytes_[std::size_t(k)]);
    check();
  }

  /// (On the host no kernel waits: while it does, nobody could fence its instance.)
  void wait_until_taken() const {
    if (num_started_ <= num_exchange_slots) return;
    const auto is_taken = [&](const PeerPut& put) { return is_raised(put.taken, num_started_ - num_exchange_slots); };
    for (std::size_t k = 0; k < puts_.extent(0); ++k) {
      wait_patiently([&] { return is_taken(puts_(k)); }, patience_ns_, gave_up_.data());
    }
    check();
  }

  PeerPatience patience() const { return {patience_ns_, gave_up_.data()}; }

  std::uint64_t patience_ns_;
  PeerRoutes routes_;
  PeerMemory memory_;
  List<std::byte> buffer_;
  List<PeerPut> puts_;
  List<PeerGet> gets_;
  List<PeerChunk> chunks_;
  List<PeerCounter> counters_;
  Flag gave_up_;
  std::vector<std::int64_t> received_bytes_;
  List<std::uint64_t> num_landed_of_, skipped_;
  // As the host enqueues them, captured ones too; kernels have counts of their own, of what runs.
  std::uint64_t num_started_ = 0;
  std::uint64_t followed_ = 0;  // the capture, by number
  int num_given_ = 0;
  double waited_seconds_ = 0;  // of the host, where kernels run there
  HaloCount sent_, received_;
  Event<Exec> sent_all_, landed_;
};

}  // namespace ashlar::impl
