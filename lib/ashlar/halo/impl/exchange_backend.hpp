#pragma once

#include <algorithm>
#include <ashlar/base/bytes.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/device/graphs/captured_work.hpp>
#include <ashlar/halo/exchange_mode.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ashlar::impl {

/// The most exchanges in flight, and the slots of buffers: one for each exchange in flight, and one to read meanwhile.
inline constexpr int max_exchanges_in_flight = 2, num_exchange_slots = max_exchanges_in_flight + 1;

template <execution_space Exec>
class KernelBackend;

/// Carries packed bytes to neighbour ranks and back, in one ExchangeMode. choose_backend() makes it.
///
/// NeighbourExchange is its only user and keeps this order: open, start, begin_arrival, then wait_for_any or
/// wait_for_all, finish_arrival, each with the slot of the exchange. Two slots may have been started and not have
/// arrived. "Enqueued" means on `exec`.
template <execution_space Exec>
class ExchangeBackend {
 public:
  virtual ~ExchangeBackend() = default;
  ExchangeBackend() = default;
  ExchangeBackend(const ExchangeBackend&) = delete;
  ExchangeBackend& operator=(const ExchangeBackend&) = delete;

  /// Waits until work enqueued from now on may write the slot's buffers, and lets neighbours send to the slot. Returns
  /// the address to pack to.
  virtual std::byte* open(const Exec& exec, int slot) = 0;
  /// The address from which the messages of the slot opened last leave.
  virtual std::byte* outgoing(int slot) = 0;
  /// Sends the data packed by the work enqueued so far.
  virtual void start(const Exec& exec, int slot) = 0;

  /// Only work enqueued so far reads the bytes in `previous`, the slot of the exchange before.
  virtual void begin_arrival(const Exec& exec, int previous) = 0;
  /// Returns the place in the list of a neighbour whose bytes work enqueued from now on may read. Each place is
  /// returned once; -1 after the last.
  virtual int wait_for_any(const Exec& exec, int slot) = 0;
  virtual void wait_for_all(const Exec& exec, int slot) = 0;
  virtual void finish_arrival(const Exec& exec, int slot) = 0;
  /// The bytes received in a slot.
  virtual const std::byte* received(int slot) const = 0;

  /// Waits until all messages are sent, so that buffers may be freed. All exchanges have ended. Reports no errors.
  virtual void wait_for_sends() noexcept = 0;
  /// Waits until the device reads none of the buffers.
  virtual void wait_for_device() noexcept = 0;

  /// Throws CommError if the device has waited for another rank in vain.
  virtual void check() const {}

  /// This backend, if the caller's own kernels may send and take messages; null in other modes.
  virtual KernelBackend<Exec>* for_kernels() { return nullptr; }

  virtual bool is_stream_ordered() const = 0;
  virtual bool is_staged() const = 0;
  virtual double waited_seconds() const = 0;
  /// How messages travel, and why: "staged through pinned memory (...)"
  virtual std::string explain() const = 0;
  virtual HeldBytes bytes() const = 0;
};

/// The end of the buffer that holds the messages.
inline std::int64_t end_of(const std::vector<NeighbourMessage>& messages) {
  std::int64_t end = 0;
  for (const NeighbourMessage& message : messages) end = std::max(end, message.begin + message.count);
  return end;
}

/// The messages of an exchange, in a send and a receive buffer of these sizes. The first `packed_bytes` of the send
/// buffer are packed at the address that open() returns.
struct NeighbourBuffers {
  const std::vector<NeighbourMessage>&to, &from;
  std::int64_t send_bytes, receive_bytes, packed_bytes;
};

/// The result of timing a backend. The trial makes exchanges.
struct BackendTrial {
  double seconds = 0;  ///< for an exchange, on the slowest rank
  std::int64_t exchanges = 0;
  double waited_seconds = 0;

  /// The slot that arrived last.
  int last_slot() const { return exchanges == 0 ? 0 : static_cast<int>((exchanges - 1) % num_exchange_slots); }
};

/// The backend that an exchange uses, and the reason.
template <execution_space Exec>
struct ChosenBackend {
  std::unique_ptr<ExchangeBackend<Exec>> backend = {};
  ExchangeMode mode = ExchangeMode::blocking;
  std::string why = {};
  BackendTrial trial = {};  ///< of the backend, if modes were tried
};

/// Makes the backend of the mode in `options`; if that is automatic and several modes work, the fastest of them.
/// Collective. The library defines it for each execution space of Kokkos (lib/src/halo/make_backend.cpp).
///
/// Throws   as the constructor of NeighbourExchange.
template <execution_space Exec>
ChosenBackend<Exec> choose_backend(const Exec& exec, const Communicator& comm, const NeighbourBuffers& buffers,
                                   const ExchangeOptions& options);

/// The text of NeighbourExchange::explain(): `how` says how messages travel.
std::string explain(const HaloFigures& figures, const std::string& how);

/// Counts of exchanges. Exchange k uses slot k modulo the number of slots.
struct ExchangeState {
  std::int64_t started = 0, finished = 0;
  int shown = 0;             ///< the slot of the exchange that finished last, or is arriving
  bool is_arriving = false;  ///< true once the oldest exchange in flight is shown
  std::int64_t made = 0;     ///< with replayed exchanges
  HaloCount sent = {}, received = {};

  int num_in_flight() const { return static_cast<int>(started - finished); }
  int next_slot() const { return static_cast<int>(started % num_exchange_slots); }
  int arriving_slot() const { return static_cast<int>(finished % num_exchange_slots); }

  void start(const HaloCount& messages) {
    ++started;
    ++made;
    sent += messages;
  }
  void arrive() {
    shown = arriving_slot();
    is_arriving = true;
  }
  void finish() {
    is_arriving = false;
    ++finished;
  }

  /// The state with which a capture begins: a capture makes no exchange.
  ExchangeState captured() const {
    ExchangeState state = *this;
    state.made = 0;
    state.sent = state.received = {};
    return state;
  }
  /// Captured work that ended in the state `end` was replayed. It uses the slots of the capture, whatever exchanges
  /// were made since.
  void replay(const ExchangeState& end) {
    started = end.started;
    finished = end.finished;
    shown = end.shown;
    is_arriving = end.is_arriving;
    made += end.made;
    sent += end.sent;
    received += end.received;
  }
};

/// The state of exchanges that run, and beside it the state of exchanges that are being captured: a capture makes none.
/// Each replay sets the running state to the end of the capture: its last exchange is shown, and the next one takes the
/// slot after it. Move-only; it may move while captured work exists.
template <execution_space Exec>
class ExchangeStates {
 public:
  ExchangeStates() = default;
  ExchangeStates(ExchangeStates&&) noexcept = default;
  ExchangeStates& operator=(ExchangeStates&&) noexcept = default;

  ExchangeState& running() { return *running_; }
  const ExchangeState& running() const { return *running_; }

  /// The state of the capture on this thread, or else of exchanges that run.
  ///
  /// Throws   ArgumentError if an exchange is in flight when a capture begins.
  ExchangeState& now() {
    Capture<Exec>* const capture = Capture<Exec>::current();
    if (capture == nullptr) return *running_;
    if (capture->number() != capture_) {
      if (running_->num_in_flight() > 0) {
        throw ArgumentError("halo: an exchange is captured while another is on its way", "replays make whole exchanges",
                            "end it before the capture");
      }
      capture_ = capture->number();
      captured_ = std::make_shared<ExchangeState>(running_->captured());
      capture->at_replay([running = running_, end = captured_](const Exec&) { running->replay(*end); });
    }
    return *captured_;
  }
  const ExchangeState& now() const {
    const Capture<Exec>* const capture = Capture<Exec>::current();
    return capture != nullptr && capture->number() == capture_ ? *captured_ : *running_;
  }

 private:
  std::shared_ptr<ExchangeState> running_ = std::make_shared<ExchangeState>();
  std::shared_ptr<ExchangeState> captured_;  // of the last capture, which shares it
  std::uint64_t capture_ = 0;                // its number
};

}  // namespace ashlar::impl
