#pragma once

#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/device/impl/gpu_timed_event.hpp>
#include <ashlar/device/impl/host_timed_event.hpp>
#include <chrono>
#include <optional>

namespace ashlar {

/// A mark in the work of one execution-space instance that knows when it was reached: what lies between two marks is
/// timed without anybody waiting in between.
///
/// Move-only: one owner for one handle.
///
/// Memory   one handle of the backend's, made by the constructor on the device of `exec` and freed by the destructor.
/// Async    on CUDA and HIP record() does not wait, and times are the device's, to about a microsecond in the first ten
/// seconds. Other backends
///          have no events: there record() fences the instance, on the host, and the time is the host's.
/// Throws   Error naming the call that failed and what the backend says of it.
template <execution_space Exec>
class TimedEvent {
 public:
  explicit TimedEvent(const Exec& exec = Exec()) : handle_(exec) {}
  TimedEvent(TimedEvent&&) noexcept = default;
  TimedEvent& operator=(TimedEvent&&) noexcept = default;

  /// Marks what is enqueued on `exec` so far; moves the mark where there was one. `exec` is on the event's device.
  void record(const Exec& exec) {
    handle_.record(exec);
    is_recorded_ = true;
  }

  /// Waits until both have happened. They may be of several instances, on one device; the time is below 0 where
  /// `earlier` was the later one.
  ///
  /// Throws   ArgumentError where one of them was never recorded.
  double seconds_since(const TimedEvent& earlier) const {
    if (!is_recorded_ || !earlier.is_recorded_) {
      throw ArgumentError("TimedEvent: the time between two marks", "one of them was never set",
                          "record() both before you ask");
    }
    return handle_.seconds_since(earlier.handle_);
  }

  /// When the mark was reached by the host's clock; nothing where times are the device's.
  std::optional<std::chrono::steady_clock::time_point> host_time() const {
    if constexpr (requires { handle_.host_time(); }) {
      return handle_.host_time();
    } else {
      return std::nullopt;
    }
  }

 private:
  impl::TimedEventHandle<Exec> handle_;
  bool is_recorded_ = false;
};

}  // namespace ashlar
