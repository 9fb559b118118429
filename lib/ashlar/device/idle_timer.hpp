#pragma once

#include <algorithm>
#include <array>
#include <ashlar/base/concepts.hpp>
#include <ashlar/device/timed_event.hpp>
#include <chrono>
#include <cstddef>
#include <optional>

namespace ashlar {

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

  /// Those of long ago are reached, so that nobody waits to read them.
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
