#pragma once

#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/device/graphs/captured_work.hpp>
#include <ashlar/halo/impl/exchange_backend.hpp>
#include <cstdint>
#include <memory>

namespace ashlar::impl {

/// How many exchanges have started and finished. Exchange k uses slot k modulo the number of slots.
struct ExchangeState {
  std::int64_t started = 0, finished = 0;  ///< counts of exchanges
  int shown = 0;                           ///< the slot of the exchange that finished last, or is arriving
  bool is_arriving = false;                ///< whether the oldest exchange in flight is already shown
  std::int64_t made = 0;                   ///< exchanges, replayed ones too
  std::int64_t replayed = 0;

  int num_in_flight() const { return static_cast<int>(started - finished); }
  int next_slot() const { return static_cast<int>(started % num_exchange_slots); }
  int arriving_slot() const { return static_cast<int>(finished % num_exchange_slots); }

  void start() {
    ++started;
    ++made;
  }
  void land() {
    shown = arriving_slot();
    is_arriving = true;
  }
  void finish() {
    is_arriving = false;
    ++finished;
  }

  /// What begins here when it is captured: nothing of it is made.
  ExchangeState captured() const {
    ExchangeState state = *this;
    state.made = state.replayed = 0;
    return state;
  }
  /// Work was replayed that ended as `end` when it was captured: its slots are those of then, whatever was made since.
  void replay(const ExchangeState& end) {
    started = end.started;
    finished = end.finished;
    shown = end.shown;
    is_arriving = end.is_arriving;
    made += end.made;
    replayed += end.made;
  }
};

/// Where exchanges stand that run, and beside them those that are being captured: to capture work makes none. After
/// each replay the former stand where the latter ended: the last exchange is shown, and the next one takes the slot
/// after it. Move-only, while captured work is replayed too.
template <execution_space Exec>
class ExchangeStates {
 public:
  ExchangeStates() = default;
  ExchangeStates(ExchangeStates&&) noexcept = default;
  ExchangeStates& operator=(ExchangeStates&&) noexcept = default;

  ExchangeState& running() { return *running_; }
  const ExchangeState& running() const { return *running_; }

  /// Of what is captured on this thread, or else runs.
  ///
  /// Throws   ArgumentError where an exchange is on its way as a capture begins.
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
  std::shared_ptr<ExchangeState> captured_;  // of the last capture, which holds it, too
  std::uint64_t capture_ = 0;                // by number
};

}  // namespace ashlar::impl
