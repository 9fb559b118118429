#pragma once

#include <ashlar/base/concepts.hpp>
#include <chrono>

namespace ashlar::impl {

/// The timed event of a backend that has none: the host waits for the work before it, and takes its own time.
///
/// Backends with events of their own specialise this, in a file each.
template <execution_space Exec>
class TimedEventHandle {
 public:
  explicit TimedEventHandle(const Exec&) {}

  void record(const Exec& exec) {
    exec.fence("ashlar::TimedEvent: record");
    time_ = Clock::now();
  }

  double seconds_since(const TimedEventHandle& earlier) const {
    return std::chrono::duration<double>(time_ - earlier.time_).count();
  }

  /// When the mark was reached.
  std::chrono::steady_clock::time_point host_time() const { return time_; }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point time_;
};

}  // namespace ashlar::impl
