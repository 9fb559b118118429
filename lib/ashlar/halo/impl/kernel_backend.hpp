#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/lists.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/comm/peer/peer_memory.hpp>
#include <ashlar/comm/transport.hpp>
#include <ashlar/device/events/event.hpp>
#include <ashlar/device/graphs/captured_work.hpp>
#include <ashlar/device/packets/flag.hpp>
#include <ashlar/device/packets/time_limit.hpp>
#include <ashlar/halo/exchange_mode.hpp>
#include <ashlar/halo/impl/exchange_backend.hpp>
#include <ashlar/halo/impl/peer_kernels.hpp>
#include <ashlar/halo/impl/peer_lists.hpp>
#include <ashlar/halo/peer_tasks.hpp>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ashlar::impl {

/// The kernel mode: a kernel writes to the memory of the neighbours and raises a flag there, or writes packets. A
/// kernel waits for the flags or packets of the neighbours. The host does not wait, except if kernels run on the host:
/// the calling thread then waits, since a waiting kernel would keep others from fencing its instance.
///
/// Kernels of the caller may pack straight to the memory of the neighbours, start_by(), or also unpack in the same
/// launch, exchange_by(). Otherwise one kernel copies the packed buffer, and another waits.
///
/// A kernel that waits for too long gives up, and so do all kernels after it. The next call here throws.
///
/// Kernels count exchanges themselves, so that they can be captured. All captured exchanges use one instance, which
/// orders them, the work before them, and their replays.
template <execution_space Exec>
class KernelBackend final : public ExchangeBackend<Exec> {
 public:
  /// Collective. Allocates, and waits for `exec`.
  ///
  /// Throws   CommError on all ranks if they cannot share memory.
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
        // Each replay begins with the slot of the capture. The exchange after a replay uses the slot after its last.
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
    await(exec, num_given_, 1);
    return num_given_++;
  }
  void wait_for_all(const Exec& exec, int) override { await(exec, 0, num_received()); }
  void finish_arrival(const Exec& exec, int) override { mark(exec); }
  const std::byte* received(int slot) const override { return receive_slots() + slot * routes_.slot_bytes(); }

  // Kernels of the caller, after open().

  template <class Pack>
  void start_by(const Exec& exec, const std::string& label, const PeerTasks<Pack>& packs) {
    begin_sending();
    launch_tasks(label, exec, packs.count, kernel(packs, PeerTasks<NoPeerTask>{}, PeerTasks<NoPeerTask>{}));
    mark(exec);
  }

  template <class Pack, class Between, class Take>
  void exchange_by(const Exec& exec, const std::string& label, const PeerTasks<Pack>& packs,
                   const PeerTasks<Between>& between, const PeerTasks<Take>& takes) {
    begin_sending();
    auto all = kernel(packs, between, takes);
    if constexpr (is_gpu_v<Exec>) {
      if (!leave_room(exec, takes.count)) all.next_task = next_task_.data();
      launch_tasks(label, exec, all.num_tasks, all);
    } else {
      launch_tasks(label, exec, packs.count + between.count, all);
      wait_until_come(exec, 0, num_received());
      all.first = packs.count + between.count;
      launch_tasks(label, exec, takes.count, all);
    }
    mark(exec);
  }

  /// Messages received in an exchange.
  int num_received() const { return int(gets_.extent(0)); }
  /// Tasks that wait for all messages, and move packets to where received() shows them.
  PeerTasks<AwaitMessages> awaiting_tasks() const { return awaiting_tasks(0, num_received()); }

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
  std::byte* receive_slots() const { return memory().own() + routes_.slots_begin(); }
  static bool is_captured() { return Capture<Exec>::current() != nullptr; }

  void allocate(const Exec& exec, const std::vector<NeighbourMessage>& to, const std::vector<NeighbourMessage>& from,
                std::int64_t send_bytes) {
    buffer_ = List<std::byte>(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "ashlar::halo::send"),
                              std::size_t(send_bytes));
    const auto zeros = [&](const char* label) { return Kokkos::view_alloc(exec, std::string(label)); };
    num_sent_ = List<PeerCount>(zeros("ashlar::halo::num_sent"), to.size());
    num_taken_ = List<PeerCount>(zeros("ashlar::halo::num_taken"), from.size());
    skipped_ = List<std::uint64_t>(zeros("ashlar::halo::skipped"), 1);
    next_task_ = List<unsigned>(zeros("ashlar::halo::next_task"), 1);
    std::vector<PeerPut> puts;
    std::vector<PeerGet> gets;
    std::vector<PeerChunk> chunks, arrivals;
    first_arrivals_ = {0};
    const auto flag = [&](int rank, std::int64_t offset) {
      return reinterpret_cast<SharedFlag*>(memory().of(rank) + offset);
    };
    const int rank = memory().comm().rank();
    for (std::size_t k = 0; k < to.size(); ++k) {
      const PeerRoutes::To& route = routes_.to()[k];
      puts.push_back({memory().of(to[k].rank) + route.slots, route.slot_bytes, flag(to[k].rank, route.arrived),
                      flag(rank, routes_.taken_flag(int(k))), route.are_packets});
      add_chunks(chunks, int(k), to[k].count, chunk_of(to[k].count));
    }
    for (PeerChunk& chunk : chunks) chunk.source = to[std::size_t(chunk.message)].begin + chunk.begin;
    for (std::size_t k = 0; k < from.size(); ++k) {
      const PeerRoutes::From& route = routes_.from()[k];
      const bool are_packets = route.packets >= 0;
      gets.push_back({receive_slots() + from[k].begin, are_packets ? memory().own() + route.packets : nullptr,
                      are_packets ? from[k].count / 4 : 0, routes_.slot_bytes(),
                      flag(rank, routes_.arrived_flag(int(k))), flag(from[k].rank, route.taken)});
      num_as_packets_ += are_packets ? 1 : 0;
      add_chunks(arrivals, int(k), gets.back().num_words, chunk_of(from[k].count) / 4);
      first_arrivals_.push_back(int(arrivals.size()));
    }
    puts_ = view_from(exec, "ashlar::halo::peers", puts);
    gets_ = view_from(exec, "ashlar::halo::peers", gets);
    chunks_ = view_from(exec, "ashlar::halo::peers", chunks);
    arrivals_ = view_from(exec, "ashlar::halo::peers", arrivals);
  }

  /// Makes the next exchange use `slot`.
  void skip_to(const Exec& exec, int slot) {
    if (gets_.extent(0) == 0 && puts_.extent(0) == 0) return;
    const PeerCount* const counts = gets_.extent(0) > 0 ? num_taken_.data() : num_sent_.data();
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
  PeerReceives receives() const { return {gets_.data(), num_taken_.data(), skipped_.data(), limit()}; }
  TimeLimit limit() const { return channel_.limit(); }

  void begin_sending() {
    check();
    ++num_started_;
    if constexpr (!is_gpu_v<Exec>) wait_until_taken();
  }
  PeerTasks<AwaitMessages> awaiting_tasks(int first, int count) const {
    const int begin = first_arrivals_[std::size_t(first)];
    return {first_arrivals_[std::size_t(first + count)] - begin, {arrivals_.data() + begin}};
  }
  /// Waits for messages, and moves packets to where received() shows them.
  void await(const Exec& exec, int first, int count) {
    if (count == 0) return;
    if constexpr (is_gpu_v<Exec>) {
      const PeerTasks<AwaitMessages> tasks = awaiting_tasks(first, count);
      launch_tasks("ashlar::halo[wait]", exec, tasks.count,
                   kernel(PeerTasks<NoPeerTask>{}, PeerTasks<NoPeerTask>{}, tasks));
    } else {
      wait_until_come(exec, first, count);
      for (int k = first; k < first + count; ++k) receives().arrive(k);
    }
    check();
  }
  /// Later calls, on any instance, wait for the work enqueued so far.
  void mark(const Exec& exec) {
    if (!is_captured()) enqueued_.record(exec);
  }

  // Kernels run on the host.

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
  List<PeerChunk> chunks_;           // of the packed buffer, in bytes
  List<PeerChunk> arrivals_;         // of packets, in words; each other message has one empty chunk
  std::vector<int> first_arrivals_;  // by message, and the end
  List<PeerCount> num_sent_, num_taken_;
  List<std::uint64_t> skipped_;
  List<unsigned> next_task_;
  // As enqueued by the host, with captured exchanges. Kernels count the exchanges that run.
  std::uint64_t num_started_ = 0;
  std::uint64_t followed_ = 0;  // number of the capture
  int num_given_ = 0, num_as_packets_ = 0;
  double waited_seconds_ = 0;  // of the host, if kernels run there
  Event<Exec> enqueued_;
};

}  // namespace ashlar::impl
