#pragma once

#include <ashlar/base/concepts.hpp>
#include <atomic>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace ashlar {

template <execution_space Exec>
class CapturedWork;

/// The capture that is under way on this thread (CapturedWork). Objects whose work is captured find it here: they wait
/// for events that are recorded in the same capture alone, and have themselves told of replays, in which no code of
/// theirs runs.
template <execution_space Exec>
class Capture {
 public:
  /// Null where nothing is being captured: what is enqueued then runs once.
  static Capture* current() { return current_; }

  /// Of all captures of the process, from 1.
  std::uint64_t number() const { return number_; }

  /// Has call(exec) called after each replay, which was enqueued on `exec`. What it belongs to lives as long as the
  /// captured work.
  void at_replay(std::function<void(const Exec&)> call) { calls_.push_back(std::move(call)); }

 private:
  friend class CapturedWork<Exec>;

  /// This one is under way.
  class Scope {
   public:
    explicit Scope(Capture& capture) : before_(std::exchange(current_, &capture)) {}
    ~Scope() { current_ = before_; }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Capture* before_;
  };

  void tell(const Exec& exec) const {
    for (const auto& call : calls_) call(exec);
  }

  static inline thread_local Capture* current_ = nullptr;
  static inline std::atomic<std::uint64_t> count_{0};

  std::uint64_t number_ = ++count_;
  std::vector<std::function<void(const Exec&)>> calls_;
};

}  // namespace ashlar
