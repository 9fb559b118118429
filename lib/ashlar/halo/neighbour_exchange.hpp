#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/held_bytes.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/comm/rank_devices.hpp>
#include <ashlar/comm/stream_transport.hpp>
#include <ashlar/halo/exchange_mode.hpp>
#include <ashlar/halo/impl/choose_backend.hpp>
#include <ashlar/halo/impl/exchange_backend.hpp>
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

/// Sends one message to each neighbour rank and receives one of each, of bytes that the caller packs and unpacks: what
/// HaloExchange does for vectors, and multigrid for the ghost cells of boxes. In buffers of its own.
///
///     std::byte* const to = exchange.open(exec);   // pack there, by kernels on exec
///     exchange.start(exec);
///     ...                                          // what does not need the others' bytes
///     exchange.finish(exec);
///     exchange.received();                         // unpack from there, by kernels on exec
///
/// Two exchanges may be on their way: start, start, finish, finish. All ranks start the same exchanges in the same
/// order; nothing else holds them together. A neighbour may be any number of exchanges ahead, or behind.
///
/// Memory   allocated by the constructor: three slots, for two exchanges on their way and one that is read, each of
///          what is sent and what comes; in the kernel mode of what comes alone, and twice that again where it comes as
///          packets, with one buffer of what is sent. Staged, these are pinned memory of the host, and the device holds
///          what comes, and what is packed, once.
/// Async    by mode(): the blocking one waits on the host in start(), for what was packed, and in finish() and
///          next_arrived(), for messages; the stream mode waits on the device alone. There is no barrier. One thread at
///          a time calls these. Where is_stream_ordered() says so, exchanges may be captured on a device
///          (CapturedWork), each from start to finish, all of a capture on one instance.
/// Throws   ArgumentError where the order of calls is wrong, before anything is started; CommError where the transport
///          fails. Then the others wait for this rank: who catches it ends the job (Communicator::abort).
template <execution_space Exec>
class NeighbourExchange {
 public:
  /// Most exchanges on their way at a time.
  static constexpr int max_in_flight = impl::max_exchanges_in_flight;

  /// Collective; ranks without neighbours, too. `comm` is not used later, but for the stream mode, in which all
  /// exchanges and sums of `comm` share its own_streams(): all ranks start these in one order, too, and what is
  /// destroyed while under way takes the others with it. On a device it may try messages (find_direct_messages()), once
  /// for `comm`. `to` and `from` are by rank, ascending. The first `packed_bytes` of what is sent are packed where
  /// open() says, others where outgoing() says; -1: all.
  ///
  /// Where the mode is automatic, and several can be had, each makes some exchanges, ten at most, and the fastest is
  /// taken: the one that takes least on the rank where it takes longest.
  ///
  /// Throws   on all ranks together: ArgumentError where lists or options of the ranks do not fit, or where the mode or
  ///          the buffers asked for do not work.
  NeighbourExchange(const Exec& exec, const Communicator& comm, std::vector<NeighbourMessage> to,
                    std::vector<NeighbourMessage> from, const ExchangeOptions& options = {},
                    std::int64_t packed_bytes = -1)
      : from_(std::move(from)), send_bytes_(impl::end_of(to)), receive_bytes_(impl::end_of(from_)) {
    for (const NeighbourMessage& message : to) each_sent_.add(message.count);
    for (const NeighbourMessage& message : from_) each_received_.add(message.count);
    Communicator own = impl::agreed_group(comm, to, from_, options);
    const impl::NeighbourBuffers buffers{to, from_, send_bytes_, receive_bytes_,
                                         packed_bytes < 0 ? send_bytes_ : packed_bytes};
    // (What is sent is also what comes, on some rank.)
    const bool is_sent = options.mode == ExchangeMode::automatic && comm.max(send_bytes_) > 0;
    const impl::PossibleModes possible =
        impl::possible_modes(comm, options, memory_kind_of<typename Exec::memory_space>, is_sent,
                             [&] { return find_peer_memory(exec, comm); });
    if (possible.modes.size() == 1) {
      choice_ = {possible.modes[0], possible.why};
      backend_ = impl::make_exchange_backend<Exec>(exec, mode(), comm, std::move(own), buffers, options);
    } else {
      take_fastest(exec, comm, own, possible, buffers, options);
    }
  }

  NeighbourExchange(NeighbourExchange&&) noexcept = default;
  NeighbourExchange& operator=(NeighbourExchange&& other) noexcept {
    if (this == &other) return *this;
    let_go();
    from_ = std::move(other.from_);
    send_bytes_ = other.send_bytes_;
    receive_bytes_ = other.receive_bytes_;
    choice_ = std::move(other.choice_);
    backend_ = std::move(other.backend_);
    trial_ = other.trial_;
    each_sent_ = other.each_sent_;
    each_received_ = other.each_received_;
    states_ = std::move(other.states_);
    return *this;
  }
  /// Waits until what was sent has gone. Exchanges that were started and not finished, as after an exception, are given
  /// up.
  ~NeighbourExchange() { let_go(); }

  /// The mode in use: never automatic.
  ExchangeMode mode() const { return choice_.mode; }
  /// Why that one, for people.
  const std::string& why_mode() const { return choice_.why; }
  /// Whether nothing here waits on the host.
  bool is_stream_ordered() const { return backend_->is_stream_ordered(); }
  /// Throws CommError where the device has waited for another rank in vain so far, in the stream and kernel modes. So
  /// does the next call otherwise: this is for who makes none.
  void check() const { backend_->check(); }
  /// Exchanges that were started and not finished.
  int num_in_flight() const { return states_.now().num_in_flight(); }

  /// Where to pack the next exchange, by what is enqueued on `exec`.
  std::byte* open(const Exec& exec) {
    const impl::ExchangeState& state = states_.now();
    if (state.num_in_flight() == max_in_flight) {
      throw ArgumentError("halo: a third exchange begun while two are on their way", "there are buffers for two",
                          "end one before, or make another exchange");
    }
    return backend_->open(exec, state.next_slot());
  }

  /// Where the bytes of the exchange that is open leave from, reachable by kernels on `exec`: for those that are not
  /// packed where open() says.
  std::byte* outgoing() { return backend_->outgoing(states_.now().next_slot()); }

  /// Sends what was packed since open().
  void start(const Exec& exec) {
    impl::ExchangeState& state = states_.now();
    backend_->start(exec, state.next_slot());
    state.start();
  }

  /// Whether kernels of the caller's may send and take by themselves, by the three calls that follow: in the kernel
  /// mode. They pack to where the neighbours have what comes, without a buffer between, and unpack from there.
  bool has_kernels() const { return mode() == ExchangeMode::kernel; }

  /// In place of open() and start(): one kernel of the caller's sends all messages.
  ///
  /// Throws   as open() and start(), and ArgumentError in other modes.
  template <class Pack>
  void start_by(const Exec& exec, const std::string& label, const PeerTasks<Pack>& packs) {
    impl::KernelBackend<Exec>& backend = peers();
    open(exec);
    backend.start_by(exec, label, packs);
    states_.now().start();
  }

  /// Both, where no exchange is on its way, and beside them what needs no message: on a device one launch, elsewhere
  /// one of those that pack and of the others, and one of those that take. Tasks do not depend on each other but by
  /// messages. Teams that wait hold places on the device that work on other instances could have.
  ///
  /// Throws   as these two, and ArgumentError where an exchange is on its way.
  template <class Pack, class Between, class Take>
  void exchange_by(const Exec& exec, const std::string& label, const PeerTasks<Pack>& packs,
                   const PeerTasks<Between>& between, const PeerTasks<Take>& takes) {
    at_once(exec, [&](impl::KernelBackend<Exec>& backend) { backend.exchange_by(exec, label, packs, between, takes); });
  }
  /// The same where nothing is taken: received() is then there for what is enqueued on `exec`.
  template <class Pack>
  void exchange_by(const Exec& exec, const std::string& label, const PeerTasks<Pack>& packs) {
    exchange_by(exec, label, packs, PeerTasks<NoPeerTask>{}, peers().landings());
  }

  /// Waits for the oldest exchange on its way, or for what next_arrived() has not yet returned of it. received() is
  /// then its bytes, for what is enqueued on `exec`. In the kernel mode teams wait on the device, one for each message
  /// or for each 2 to 16 KiB of packets, and hold places that work on other instances could have.
  void finish(const Exec& exec) {
    impl::ExchangeState& state = states_.now();
    const bool some_were_taken = state.is_arriving;
    begin_arrival(exec, state);
    if (some_were_taken) {
      while (take_next(exec, state) >= 0) {
      }
      return;
    }
    backend_->wait_for_all(exec, state.shown);
    finish_arrival(exec, state);
  }

  /// Waits until another message of the oldest exchange has come, and returns its place in `from`: each once, in any
  /// order. Its bytes in received() are then there for what is enqueued on `exec`. Returns -1 when all have been: this
  /// exchange has then finished. One instance takes all messages of an exchange.
  int next_arrived(const Exec& exec) {
    impl::ExchangeState& state = states_.now();
    begin_arrival(exec, state);
    return take_next(exec, state);
  }

  /// Of the exchange that was finished last, or whose messages are being taken: until the next one is finished, or its
  /// first message taken, by what is enqueued on the same instance. Always the same place where messages are staged.
  /// After a replay of captured work: of the last exchange there. Messages that come as packets are not there where
  /// kernels of the caller's have taken them (exchange_by()).
  const std::byte* received() const { return backend_->received(states_.now().shown); }

  /// Of one exchange.
  std::int64_t bytes_sent() const { return send_bytes_; }
  std::int64_t bytes_received() const { return receive_bytes_; }
  bool is_staged() const { return backend_->is_staged(); }
  /// All that was done so far, counted as it was.
  HaloFigures figures() const {
    const std::int64_t replayed = states_.running().replayed;
    const auto with_replayed = [&](HaloCount count, const HaloCount& each) {
      count.messages += replayed * each.messages;
      count.bytes += replayed * each.bytes;
      return count;
    };
    const auto without_trial = [](HaloCount count, const HaloCount& of_trial) {
      count.messages -= of_trial.messages;
      count.bytes -= of_trial.bytes;
      return count;
    };
    return {states_.running().made, with_replayed(without_trial(backend_->sent(), trial_.sent), each_sent_),
            with_replayed(without_trial(backend_->received_messages(), trial_.received), each_received_),
            backend_->is_staged(), backend_->waited_seconds() - trial_.waited_seconds};
  }
  /// "halo: 12 messages of 4800 bytes sent and 12 of 4800 received in 6 exchanges, staged through pinned memory (...)"
  std::string explain() const {
    return impl::explain(figures(), text(backend_->explain(), ", in mode ", to_string(mode()), " (", why_mode(), ")"));
  }
  /// The buffers.
  HeldBytes bytes() const { return backend_->bytes(); }

 private:
  /// Makes one whole exchange by exchange(backend).
  template <class Exchange>
  void at_once(const Exec& exec, const Exchange& exchange) {
    impl::KernelBackend<Exec>& backend = peers();
    impl::ExchangeState& state = states_.now();
    if (state.num_in_flight() > 0) {
      throw ArgumentError("halo: an exchange by one kernel while another is on its way",
                          "the kernel would take what is that one's", "finish it before");
    }
    open(exec);
    exchange(backend);
    state.start();
    state.land();
    state.finish();
  }

  impl::KernelBackend<Exec>& peers() const {
    if (!has_kernels()) {
      throw ArgumentError("halo: a kernel that sends or takes messages by itself",
                          text("the mode is ", to_string(mode())), "ask has_kernels() before");
    }
    return *backend_->for_kernels();
  }

  /// Makes a backend for each possible mode, times it, and keeps the one that is fastest on its slowest rank.
  void take_fastest(const Exec& exec, const Communicator& comm, const Communicator& own,
                    const impl::PossibleModes& possible, const impl::NeighbourBuffers& buffers,
                    const ExchangeOptions& options) {
    impl::ModeTimes times;
    std::vector<std::string> refused = possible.refused;
    for (const ExchangeMode mode : possible.modes) {
      std::unique_ptr<impl::ExchangeBackend<Exec>> backend;
      try {
        backend = impl::make_exchange_backend<Exec>(exec, mode, comm, own.duplicate(), buffers, options);
      } catch (const Error& error) {  // on all ranks together
        if (mode == ExchangeMode::blocking) throw;
        refused.push_back(text(to_string(mode), ": ", error.what()));
        continue;
      }
      const impl::BackendTrial trial = impl::time_backend(exec, comm, *backend);
      times.emplace_back(mode, trial.seconds);
      if (!backend_ || trial.seconds < trial_.seconds) {
        backend_.swap(backend);
        trial_ = trial;
        choice_.mode = mode;
      }
      if (!backend) continue;
      backend->wait_for_sends();
      backend->wait_for_device();
    }
    choice_.why = impl::why_fastest(choice_.mode, times, refused);
    impl::ExchangeState& state = states_.running();
    state.started = state.finished = trial_.exchanges;
    state.shown = trial_.last_slot();
  }

  /// The oldest exchange on its way is the one whose messages come next. With the first of them, nobody reads those of
  /// the exchange before any more but by what is enqueued on `exec` so far.
  void begin_arrival(const Exec& exec, impl::ExchangeState& state) {
    if (state.num_in_flight() == 0) {
      throw ArgumentError("halo: the end of an exchange that was not begun", "none is on its way",
                          "begin one before each end");
    }
    if (state.is_arriving) return;
    backend_->begin_arrival(exec, state.shown);
    state.land();
  }

  int take_next(const Exec& exec, impl::ExchangeState& state) {
    const int k = backend_->wait_for_any(exec, state.shown);
    if (k < 0) finish_arrival(exec, state);
    return k;
  }

  void finish_arrival(const Exec& exec, impl::ExchangeState& state) {
    backend_->finish_arrival(exec, state.shown);
    state.finish();
  }

  void let_go() noexcept {
    if (!backend_) return;
    // The usual end, where the others are there to take what was sent, however slow they are. Else the messages give up
    // what is under way as they are destroyed.
    if (states_.running().num_in_flight() == 0 && std::uncaught_exceptions() == 0) backend_->wait_for_sends();
    backend_->wait_for_device();
    backend_.reset();
  }

  std::vector<NeighbourMessage> from_;
  std::int64_t send_bytes_, receive_bytes_;
  impl::ChosenMode choice_;
  std::unique_ptr<impl::ExchangeBackend<Exec>> backend_;
  impl::BackendTrial trial_;             // by which it was chosen, if it was
  HaloCount each_sent_, each_received_;  // of one exchange
  impl::ExchangeStates<Exec> states_;
};

}  // namespace ashlar
