#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/count_text.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/comm/peer/peer_memory.hpp>
#include <ashlar/comm/transport.hpp>
#include <ashlar/device/capture.hpp>
#include <ashlar/device/event.hpp>
#include <ashlar/device/packets/flag.hpp>
#include <ashlar/device/packets/time_limit.hpp>
#include <ashlar/halo/exchange_mode.hpp>
#include <ashlar/halo/impl/exchange_backend.hpp>
#include <ashlar/halo/impl/halo_layout.hpp>
#include <ashlar/halo/impl/peer_kernels.hpp>
#include <ashlar/halo/impl/peer_lists.hpp>
#include <ashlar/halo/peer_tasks.hpp>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ashlar::impl {

/// The kernel mode: a kernel writes to the memory of the neighbours and raises a flag there, or writes packets, and
/// waits for the flags, or the packets, of the neighbours' data. The host waits for nothing (where kernels run on the
/// host, it waits for them: while a kernel did, nobody could fence its instance).
///
/// Kernels of the caller's may pack straight to the neighbours' memory, start_by(), or also unpack from where it came
/// in the same launch, exchange_by(). Else one copies what was packed, and one waits.
///
/// A kernel that waits too long gives up, and with it all that follow; the next call here says so.
///
/// Kernels know by themselves which exchange theirs is, so that they may be captured. Captured exchanges are of one
/// instance, which orders them, what was enqueued before, and their replays.
template <execution_space Exec>
class KernelBackend final : public ExchangeBackend<Exec> {
 public:
  /// Collective. Allocates, and waits for `exec`.
  ///
  /// Throws   CommError on all ranks, where they cannot share memory.
  KernelBackend(const Exec& exec, Communicator comm, const std::vector<NeighbourMessage>& to,
                const std::vector<NeighbourMessage>& from, std::int64_t send_bytes, const ExchangeOptions& options)
      : routes_(comm, to, from, options.packet_bytes.value_or(default_packet_bytes<Exec>)),
        channel_(options.time_out_seconds),
        enqueued_(exec) {
    channel_.allocate(exec, std::move(comm), std::size_t(routes_.segment_bytes()));
    memory().comm().together([&] { allocate(exec, to, from, send_bytes); });
  }

  std::byte* open(const Exec& exec, int slot) override {
    if (Capture<Exec>* const capture = Capture<Exec>::current()) {
      if (std::exchange(followed_, capture->number()) != capture->number()) {
        // Each replay begins with the slot that is captured here. What follows a replay has the slot after its last.
        skip_to(exec, slot);
        capture->at_replay([this](const Exec& on) { enqueued_.record(on); });
      }
    } else {
      enqueued_.wait(exec);
    }
    return buffer_.data();
  }
  std::byte* outgoing(int) override { return buffer_.data(); }
  void start(const Exec& exec, int) override {
    const auto put = [&]<class Word>(Word) {
      start_by(exec, "ashlar::halo[put]",
               PeerTasks<PutChunk<Word>>{int(chunks_.extent(0)), {chunks_.data(), buffer_.data()}});
    };
    routes_.word_bytes() >= 16 ? put(PeerWord{}) : routes_.word_bytes() >= 4 ? put(std::uint32_t{}) : put(std::byte{});
  }

  void begin_arrival(const Exec& exec, int) override {
    check();
    if (!is_captured()) enqueued_.wait(exec);
    num_given_ = 0;
  }
  int wait_for_any(const Exec& exec, int) override {
    if (num_given_ == num_received()) return -1;
    land(exec, num_given_, 1);
    return num_given_++;
  }
  void wait_for_all(const Exec& exec, int) override { land(exec, 0, num_received()); }
  void finish_arrival(const Exec& exec, int) override { mark(exec); }
  const std::byte* received(int slot) const override { return landing() + slot * routes_.slot_bytes(); }

  // Kernels of the caller's, after open().

  template <class Pack>
  void start_by(const Exec& exec, const std::string& label, const PeerTasks<Pack>& packs) {
    begin_sending();
    launch_tasks(label, exec, packs.count, kernel(packs, PeerTasks<NoPeerTask>{}, PeerTasks<NoPeerTask>{}));
    count_sent();
    mark(exec);
  }

  template <class Pack, class Between, class Take>
  void exchange_by(const Exec& exec, const std::string& label, const PeerTasks<Pack>& packs,
                   const PeerTasks<Between>& between, const PeerTasks<Take>& takes) {
    begin_sending();
    auto all = kernel(packs, between, takes);
    if constexpr (is_gpu_v<Exec>) {
      if (!leave_places(exec, takes.count)) all.next_task = next_task_.data();
      launch_tasks(label, exec, all.num_tasks, all);
    } else {
      launch_tasks(label, exec, packs.count + between.count, all);
      wait_until_come(exec, 0, num_received());
      all.first = packs.count + between.count;
      launch_tasks(label, exec, takes.count, all);
    }
    count_sent();
    count_received(0, num_received());
    mark(exec);
  }

  /// Messages that come in an exchange.
  int num_received() const { return int(gets_.extent(0)); }
  /// Tasks that have them where received() says.
  PeerTasks<LandMessages> landings() const { return landings(0, num_received()); }

  void wait_for_sends() noexcept override {}
  void wait_for_device() noexcept override { enqueued_.wait(); }

  void check() const override {
    if (channel_.failure() == flag_is_wrong) {
      throw CommError(text("halo: rank ", memory().comm().rank(), " finds a count of exchanges that no rank has made"),
                      "the memory that ranks share was written by something else",
                      "look for writes beyond the end of arrays");
    }
    channel_.check("halo", "data of another rank, or for its own to be taken");
  }

  KernelBackend* for_kernels() override { return this; }
  bool is_stream_ordered() const override { return is_gpu_v<Exec>; }
  bool is_staged() const override { return false; }
  const HaloCount& sent() const override { return sent_; }
  const HaloCount& received_messages() const override { return received_; }
  double waited_seconds() const override { return waited_seconds_; }
  std::string explain() const override {
    return text("by kernels, through ", memory().explain(),
                is_gpu_v<Exec> ? ", in one launch where nothing is between begin and end" : "",
                num_as_packets_ > 0 ? text(", of what comes ", num_as_packets_, " of ",
                                           count_text(num_received(), "message"), " as packets")
                                    : "");
  }
  HeldBytes bytes() const override { return {std::uint64_t(routes_.segment_bytes()) + buffer_.size(), 0}; }

 private:
  using memory_space = typename Exec::memory_space;
  template <class Item>
  using List = Kokkos::View<Item*, memory_space>;

  const PeerMemory& memory() const { return channel_.memory(); }
  std::byte* landing() const { return memory().own() + routes_.slots_begin(); }
  static bool is_captured() { return Capture<Exec>::current() != nullptr; }

  void allocate(const Exec& exec, const std::vector<NeighbourMessage>& to, const std::vector<NeighbourMessage>& from,
                std::int64_t send_bytes) {
    buffer_ = List<std::byte>(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "ashlar::halo::send"),
                              std::size_t(send_bytes));
    const auto zeros = [&](const char* label) { return Kokkos::view_alloc(exec, std::string(label)); };
    num_sent_ = List<PeerCount>(zeros("ashlar::halo::num_sent"), to.size());
    num_landed_ = List<PeerCount>(zeros("ashlar::halo::num_landed"), from.size());
    skipped_ = List<std::uint64_t>(zeros("ashlar::halo::skipped"), 1);
    next_task_ = List<unsigned>(zeros("ashlar::halo::next_task"), 1);
    std::vector<PeerPut> puts;
    std::vector<PeerGet> gets;
    std::vector<PeerChunk> chunks, landings;
    first_landings_ = {0};
    const auto flag = [&](int rank, std::int64_t offset) {
      return reinterpret_cast<SharedFlag*>(memory().of(rank) + offset);
    };
    const int rank = memory().comm().rank();
    for (std::size_t k = 0; k < to.size(); ++k) {
      const PeerRoutes::To& route = routes_.to()[k];
      puts.push_back({memory().of(to[k].rank) + route.slots, route.slot_bytes, flag(to[k].rank, route.arrived),
                      flag(rank, routes_.taken_flag(int(k))), route.are_packets});
      add_chunks(chunks, int(k), to[k].count, chunk_of(to[k].count));
      sent_bytes_.push_back(to[k].count);
    }
    for (PeerChunk& chunk : chunks) chunk.source = to[std::size_t(chunk.message)].begin + chunk.begin;
    for (std::size_t k = 0; k < from.size(); ++k) {
      const PeerRoutes::From& route = routes_.from()[k];
      const bool are_packets = route.packets >= 0;
      gets.push_back({landing() + from[k].begin, are_packets ? memory().own() + route.packets : nullptr,
                      are_packets ? from[k].count / 4 : 0, routes_.slot_bytes(),
                      flag(rank, routes_.arrived_flag(int(k))), flag(from[k].rank, route.taken)});
      received_bytes_.push_back(from[k].count);
      num_as_packets_ += are_packets ? 1 : 0;
      add_chunks(landings, int(k), gets.back().num_words, chunk_of(from[k].count) / 4);
      first_landings_.push_back(int(landings.size()));
    }
    puts_ = listed(exec, puts);
    gets_ = listed(exec, gets);
    chunks_ = listed(exec, chunks);
    landings_ = listed(exec, landings);
  }

  /// Has the next exchange be one of this slot.
  void skip_to(const Exec& exec, int slot) {
    if (gets_.extent(0) == 0 && puts_.extent(0) == 0) return;
    const PeerCount* const counts = gets_.extent(0) > 0 ? num_landed_.data() : num_sent_.data();
    Kokkos::parallel_for("ashlar::halo[skip]", Kokkos::RangePolicy<Exec>(exec, 0, 1),
                         SkipToSlot{gets_.data(), counts, skipped_.data(), num_received(), slot});
  }

  template <class Pack, class Between, class Take>
  PeerTasksKernel<Pack, Between, Take> kernel(const PeerTasks<Pack>& packs, const PeerTasks<Between>& between,
                                              const PeerTasks<Take>& takes) const {
    const int num_tasks = packs.count + between.count + takes.count;
    return {packs.body,  between.body,  takes.body, sends(), receives(),
            packs.count, between.count, num_tasks,  0,       nullptr};
  }
  PeerSends sends() const { return {puts_.data(), num_sent_.data(), skipped_.data(), limit()}; }
  PeerReceives receives() const { return {gets_.data(), num_landed_.data(), skipped_.data(), limit()}; }
  TimeLimit limit() const { return channel_.limit(); }

  void begin_sending() {
    check();
    ++num_started_;
    if constexpr (!is_gpu_v<Exec>) wait_until_taken();
  }
  PeerTasks<LandMessages> landings(int first, int count) const {
    const int begin = first_landings_[std::size_t(first)];
    return {first_landings_[std::size_t(first + count)] - begin, {landings_.data() + begin}};
  }
  /// Has messages where received() says.
  void land(const Exec& exec, int first, int count) {
    if (count == 0) return;
    if constexpr (is_gpu_v<Exec>) {
      const PeerTasks<LandMessages> tasks = landings(first, count);
      launch_tasks("ashlar::halo[wait]", exec, tasks.count,
                   kernel(PeerTasks<NoPeerTask>{}, PeerTasks<NoPeerTask>{}, tasks));
    } else {
      wait_until_come(exec, first, count);
      for (int k = first; k < first + count; ++k) receives().land(k);
    }
    count_received(first, count);
    check();
  }
  /// What is enqueued so far comes before what later calls enqueue, on whatever instance.
  void mark(const Exec& exec) {
    if (!is_captured()) enqueued_.record(exec);
  }
  void count_sent() {
    if (is_captured()) return;
    for (const std::int64_t bytes : sent_bytes_) sent_.add(bytes);
  }
  void count_received(int first, int count) {
    if (is_captured()) return;
    for (int k = first; k < first + count; ++k) received_.add(received_bytes_[std::size_t(k)]);
  }

  // On the host.

  void wait_until_taken() const {
    if (num_started_ <= num_exchange_slots) return;
    for (std::size_t k = 0; k < puts_.extent(0); ++k) {
      wait_for_flag(puts_(k).taken, num_started_ - num_exchange_slots, limit());
    }
    check();
  }
  void wait_until_come(const Exec& exec, int first, int count) {
    exec.fence("ashlar::halo: read what came before");
    const auto begin = std::chrono::steady_clock::now();
    for (int k = first; k < first + count && receives().wait_for(k); ++k) {
    }
    waited_seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    check();
  }

  PeerRoutes routes_;
  PeerChannel<Exec> channel_;
  List<std::byte> buffer_;
  List<PeerPut> puts_;
  List<PeerGet> gets_;
  List<PeerChunk> chunks_;           // of what is packed in the buffer, by bytes
  List<PeerChunk> landings_;         // of what comes as packets, by words; each other message has one, of none
  std::vector<int> first_landings_;  // by message, and behind the last
  std::vector<std::int64_t> sent_bytes_, received_bytes_;
  List<PeerCount> num_sent_, num_landed_;
  List<std::uint64_t> skipped_;
  List<unsigned> next_task_;
  // As the host enqueues them, captured ones too; kernels have counts of their own, of what runs.
  std::uint64_t num_started_ = 0;
  std::uint64_t followed_ = 0;  // the capture, by number
  int num_given_ = 0, num_as_packets_ = 0;
  double waited_seconds_ = 0;  // of the host, where kernels run there
  HaloCount sent_, received_;
  Event<Exec> enqueued_;
};

}  // namespace ashlar::impl
