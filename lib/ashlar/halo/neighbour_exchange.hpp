#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/bytes.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/halo/exchange_mode.hpp>
#include <ashlar/halo/impl/exchange_backend.hpp>
#include <ashlar/halo/impl/kernel_backend.hpp>
#include <ashlar/halo/impl/peer_kernels.hpp>
#include <ashlar/halo/peer_tasks.hpp>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ashlar {

/// Exchanges bytes with neighbour ranks: one message to each and one from each. The caller packs and unpacks.
/// HaloExchange uses it for vectors, multigrid for the ghost cells of boxes.
///
///     std::byte* const to = exchange.open(exec);   // pack to this address, by kernels on exec
///     exchange.start(exec);
///     ...                                          // work that does not need the other ranks' bytes
///     exchange.finish(exec);
///     exchange.received();                         // unpack from this address, by kernels on exec
///
/// Two exchanges may be in flight: start, start, finish, finish. All ranks start the same exchanges in the same order.
/// Nothing else synchronises them: a neighbour may be any number of exchanges ahead or behind.
///
/// Memory   allocated by the constructor: three slots, for two exchanges in flight and one that is read, each with a
///          send and a receive buffer. If messages are staged, these are in pinned host memory, and the device holds
///          one packed and one receive buffer. The kernel mode has receive slots only, three times as large for
///          messages that come as packets, and one send buffer.
/// Async    depends on mode(). Blocking: start() waits on the host for the packing kernel; finish() and next_arrived()
///          wait for messages. Stream: only the device waits. Kernel: the device waits, or the calling thread if
///          kernels run on the host. There is no barrier. One thread at a time calls this object. If
///          is_stream_ordered(), exchanges may be captured on a device (CapturedWork): whole exchanges, and all of a
///          capture on one instance.
/// Throws   ArgumentError for a wrong order of calls, before anything is started; CommError if the transport fails. The
///          other ranks then wait for this one: a caller that catches it ends the job (Communicator::abort).
template <execution_space Exec>
class NeighbourExchange {
 public:
  /// The most exchanges in flight.
  static constexpr int max_in_flight = impl::max_exchanges_in_flight;

  /// Collective, also over ranks without neighbours. `to` and `from` are in ascending order of ranks. The first
  /// `packed_bytes` of the send buffer are packed at the address that open() returns, the others at outgoing(); -1: all
  /// at open().
  ///
  /// Only the stream mode uses `comm` later: all exchanges and sums of `comm` share its own_streams(). So all ranks
  /// start these in the same order, and destroying one under way aborts the others. On a device the constructor may try
  /// messages (find_direct_messages()), once for each `comm`.
  ///
  /// If the mode is automatic and several modes work, each makes up to ten exchanges. The mode whose slowest rank is
  /// fastest is used.
  ///
  /// Throws   on all ranks together: ArgumentError if lists or options of the ranks do not match, or if the requested
  ///          mode or buffers do not work.
  NeighbourExchange(const Exec& exec, const Communicator& comm, std::vector<NeighbourMessage> to,
                    std::vector<NeighbourMessage> from, const ExchangeOptions& options = {},
                    std::int64_t packed_bytes = -1)
      : from_(std::move(from)),
        send_bytes_(impl::end_of(to)),
        receive_bytes_(impl::end_of(from_)),
        chosen_(impl::choose_backend(
            exec, comm, {to, from_, send_bytes_, receive_bytes_, packed_bytes < 0 ? send_bytes_ : packed_bytes},
            options)) {
    for (const NeighbourMessage& message : to) each_sent_.add(message.count);
    for (const NeighbourMessage& message : from_) each_received_.add(message.count);
    impl::ExchangeState& state = states_.running();
    state.started = state.finished = chosen_.trial.exchanges;
    state.shown = chosen_.trial.last_slot();
  }

  NeighbourExchange(NeighbourExchange&&) noexcept = default;
  NeighbourExchange& operator=(NeighbourExchange&& other) noexcept {
    if (this == &other) return *this;
    std::destroy_at(this);
    return *std::construct_at(this, std::move(other));
  }
  /// Waits until all messages are sent. Exchanges that were started and not finished, as after an exception, are given
  /// up.
  ~NeighbourExchange() { let_go(); }

  /// The mode in use: never automatic.
  ExchangeMode mode() const { return chosen_.mode; }
  /// The reason for this mode.
  const std::string& why_mode() const { return chosen_.why; }
  /// True if the host never waits.
  bool is_stream_ordered() const { return chosen_.backend->is_stream_ordered(); }
  /// Throws   CommError if the device has waited for another rank in vain, in the stream and kernel modes. The next
  ///          exchange throws the same: this is for callers that make none.
  void check() const { chosen_.backend->check(); }
  /// Exchanges started and not finished.
  int num_in_flight() const { return states_.now().num_in_flight(); }

  /// The address to pack the next exchange to, by work enqueued on `exec`.
  std::byte* open(const Exec& exec) {
    const impl::ExchangeState& state = states_.now();
    if (state.num_in_flight() == max_in_flight) {
      throw ArgumentError("halo: a third exchange begun while two are on their way", "there are buffers for two",
                          "end one before, or make another exchange");
    }
    return chosen_.backend->open(exec, state.next_slot());
  }

  /// The send buffer of the open exchange, for kernels on `exec`: for bytes that are not packed at open().
  std::byte* outgoing() { return chosen_.backend->outgoing(states_.now().next_slot()); }

  /// Sends the bytes packed since open().
  void start(const Exec& exec) {
    impl::ExchangeState& state = states_.now();
    chosen_.backend->start(exec, state.next_slot());
    state.start(each_sent_);
  }

  /// True in the kernel mode: kernels of the caller may then send and take messages, by start_by() and exchange_by().
  /// They pack straight to the memory of the neighbours, and unpack from where data arrive.
  bool has_kernels() const { return mode() == ExchangeMode::kernel; }

  /// Replaces open() and start(): one kernel of the caller sends all messages.
  ///
  /// Throws   as open() and start(), and ArgumentError in other modes.
  template <class Pack>
  void start_by(const Exec& exec, const std::string& label, const PeerTasks<Pack>& packs) {
    impl::KernelBackend<Exec>& backend = peers();
    open(exec);
    backend.start_by(exec, label, packs);
    states_.now().start(each_sent_);
  }

  /// A whole exchange, with work that needs no message. On a device this is one launch. If kernels run on the host, one
  /// launch packs and does the other work, and one takes. Tasks depend on each other only through messages. Waiting
  /// teams occupy the device, so that work on other instances has less room.
  ///
  /// Throws   as start_by() and finish(), and ArgumentError if an exchange is in flight.
  template <class Pack, class Between, class Take>
  void exchange_by(const Exec& exec, const std::string& label, const PeerTasks<Pack>& packs,
                   const PeerTasks<Between>& between, const PeerTasks<Take>& takes) {
    whole_exchange(
        exec, [&](impl::KernelBackend<Exec>& backend) { backend.exchange_by(exec, label, packs, between, takes); });
  }
  /// The same without tasks that take. Work enqueued on `exec` afterwards may read received().
  template <class Pack>
  void exchange_by(const Exec& exec, const std::string& label, const PeerTasks<Pack>& packs) {
    exchange_by(exec, label, packs, PeerTasks<NoPeerTask>{}, peers().awaiting_tasks());
  }

  /// Waits for the oldest exchange in flight, or for its messages that next_arrived() has not returned. Work enqueued
  /// on `exec` afterwards may read received(). In the kernel mode teams wait on the device, one for each message or for
  /// each 2 to 16 KiB of packets, and occupy it.
  void finish(const Exec& exec) {
    impl::ExchangeState& state = states_.now();
    const bool some_were_taken = state.is_arriving;
    begin_arrival(exec, state);
    if (some_were_taken) {
      while (take_next(exec, state) >= 0) {
      }
      return;
    }
    chosen_.backend->wait_for_all(exec, state.shown);
    state.received += each_received_;
    finish_arrival(exec, state);
  }

  /// Waits for a message of the oldest exchange and returns its place in `from`: each once, in any order. Work enqueued
  /// on `exec` afterwards may read its bytes in received(). Returns -1 after the last message: the exchange has then
  /// finished. All messages of an exchange are taken with one instance.
  int next_arrived(const Exec& exec) {
    impl::ExchangeState& state = states_.now();
    begin_arrival(exec, state);
    return take_next(exec, state);
  }

  /// The bytes of the exchange that finished last, or whose messages are being taken. They are valid until the next
  /// exchange finishes, or its first message is taken, in the order of the instance. If messages are staged, the
  /// address never changes. After a replay of captured work: the bytes of its last exchange. Messages that come as
  /// packets are not there if kernels of the caller took them (exchange_by()).
  const std::byte* received() const { return chosen_.backend->received(states_.now().shown); }

  /// Of one exchange.
  std::int64_t bytes_sent() const { return send_bytes_; }
  std::int64_t bytes_received() const { return receive_bytes_; }
  bool is_staged() const { return chosen_.backend->is_staged(); }
  /// The exchanges so far, with replayed ones.
  HaloFigures figures() const {
    const impl::ExchangeState& state = states_.running();
    return {state.made, state.sent, state.received, chosen_.backend->is_staged(),
            chosen_.backend->waited_seconds() - chosen_.trial.waited_seconds};
  }
  /// "halo: 12 messages of 4800 bytes sent and 12 of 4800 received in 6 exchanges, staged through pinned memory (...)"
  std::string explain() const {
    return impl::explain(figures(),
                         text(chosen_.backend->explain(), ", in mode ", to_string(mode()), " (", why_mode(), ")"));
  }
  /// The buffers.
  HeldBytes bytes() const { return chosen_.backend->bytes(); }

 private:
  /// Makes one whole exchange by exchange(backend).
  template <class Exchange>
  void whole_exchange(const Exec& exec, const Exchange& exchange) {
    impl::KernelBackend<Exec>& backend = peers();
    impl::ExchangeState& state = states_.now();
    if (state.num_in_flight() > 0) {
      throw ArgumentError("halo: an exchange by one kernel while another is on its way",
                          "the kernel would take its messages", "finish it before");
    }
    open(exec);
    exchange(backend);
    state.start(each_sent_);
    state.arrive();
    state.received += each_received_;
    state.finish();
  }

  impl::KernelBackend<Exec>& peers() const {
    if (!has_kernels()) {
      throw ArgumentError("halo: a kernel that sends or takes messages by itself",
                          text("the mode is ", to_string(mode())), "ask has_kernels() before");
    }
    return *chosen_.backend->for_kernels();
  }

  /// The oldest exchange in flight begins to arrive. From its first message on, only work enqueued on `exec` so far
  /// reads the exchange before.
  void begin_arrival(const Exec& exec, impl::ExchangeState& state) {
    if (state.num_in_flight() == 0) {
      throw ArgumentError("halo: the end of an exchange that was not begun", "none is on its way",
                          "begin one before each end");
    }
    if (state.is_arriving) return;
    chosen_.backend->begin_arrival(exec, state.shown);
    state.arrive();
  }

  int take_next(const Exec& exec, impl::ExchangeState& state) {
    const int k = chosen_.backend->wait_for_any(exec, state.shown);
    k < 0 ? finish_arrival(exec, state) : state.received.add(from_[std::size_t(k)].count);
    return k;
  }

  void finish_arrival(const Exec& exec, impl::ExchangeState& state) {
    chosen_.backend->finish_arrival(exec, state.shown);
    state.finish();
  }

  void let_go() noexcept {
    if (!chosen_.backend) return;
    // Normally the other ranks take the messages, however slow they are. Otherwise the destructors of the messages give
    // up those under way.
    if (states_.running().num_in_flight() == 0 && std::uncaught_exceptions() == 0) chosen_.backend->wait_for_sends();
    chosen_.backend->wait_for_device();
    chosen_.backend.reset();
  }

  std::vector<NeighbourMessage> from_;
  std::int64_t send_bytes_, receive_bytes_;
  impl::ChosenBackend<Exec> chosen_;
  HaloCount each_sent_, each_received_;  // of one exchange
  impl::ExchangeStates<Exec> states_;
};

}  // namespace ashlar
