#pragma once

#include <algorithm>
#include <array>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/device/events/event.hpp>
#include <chrono>
#include <cstddef>
#include <optional>

namespace ashlar::impl {

/// The timed event of a backend that has none: the host waits for the work before it, and takes its own time.
///
/// Backends with events of their own specialise this.
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

#ifdef ASHLAR_HAS_GPU_RUNTIME

namespace ashlar::impl {

/// An event of the GPU's runtime, which takes the device's time when it happens.
template <>
class TimedEventHandle<gpu::Exec> {
 public:
  explicit TimedEventHandle(const gpu::Exec& exec) : event_(exec, gpu::timed_event) {}

  void record(const gpu::Exec& exec) { event_.record(exec); }

  double seconds_since(const TimedEventHandle& earlier) const {
    gpu::synchronize_event(earlier.event_.get());
    gpu::synchronize_event(event_.get());
    return gpu::seconds_between(earlier.event_.get(), event_.get());
  }

 private:
  GpuEventHandle event_;
};

}  // namespace ashlar::impl
#endif

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

  /// Marks the end of the work enqueued on `exec` so far, and drops an earlier mark. `exec` is on the event's device.
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

/// How long an instance had nothing to do while the host waited for something that others make.
///
/// The host's own clock does not tell: it waits while the device still has work from before. So a wait lies between two
/// marks in the work of the instance, of which the first is reached when that work has ended.
///
/// Memory   some events of the backend's, made as they are needed, and freed by the destructor.
/// Async    on CUDA and HIP during() waits for nothing but what wait() does; the marks cost some microseconds. Other
///          backends have no events: there it fences the instance, before and after (TimedEvent).
template <execution_space Exec>
class IdleTimer {
 public:
  /// Calls wait(), which waits on the host, behind all that is enqueued on `exec` so far.
  template <class Wait>
  void during(const Exec& exec, const Wait& wait) {
    Marks& marks = of_next(exec);
    marks.begin.record(exec);
    const auto begin = std::chrono::steady_clock::now();
    wait();
    marks.host_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    marks.end.record(exec);
    marks.are_set = true;
  }

  /// Of all waits so far. Waits for the marks of the last ones.
  double seconds() {
    for (auto& marks : ring_) {
      if (marks) take(*marks);
    }
    return seconds_;
  }

 private:
  struct Marks {
    explicit Marks(const Exec& exec) : begin(exec), end(exec) {}

    TimedEvent<Exec> begin, end;
    double host_seconds = 0;
    bool are_set = false;  // and not yet read
  };

  /// The marks of the oldest wait. The device has reached them, so that reading them does not wait.
  Marks& of_next(const Exec& exec) {
    std::optional<Marks>& marks = ring_[next_];
    next_ = (next_ + 1) % ring_.size();
    if (marks) {
      take(*marks);
    } else {
      marks.emplace(exec);
    }
    return *marks;
  }

  void take(Marks& marks) {
    if (!marks.are_set) return;
    marks.are_set = false;
    // The device takes a moment from one mark to the next, even where the host has not waited.
    seconds_ += std::min(marks.end.seconds_since(marks.begin), marks.host_seconds);
  }

  std::array<std::optional<Marks>, 32> ring_;
  std::size_t next_ = 0;
  double seconds_ = 0;
};

}  // namespace ashlar
