#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <cstdint>
#include <string_view>
#ifndef __CUDA_ARCH__
#include <chrono>
#include <thread>
#endif

namespace ashlar {

/// How long a kernel waits for other thread blocks or ranks before it gives up, unless the caller sets another limit.
/// A rank that is slow, for example in a page fault of its file system, is not dead. A dead rank has ended the job in
/// most cases.
inline constexpr double default_time_out_seconds = 30;

/// Throws   ArgumentError if `seconds` is not positive. `what` says who is to wait.
inline void check_time_out(std::string_view what, double seconds) {
  if (seconds > 0) return;
  throw ArgumentError(text(what, ": kernels that wait ", seconds, " s for other ranks"),
                      "they would give up immediately", "give a positive number of seconds");
}

/// The time limit in nanoseconds; at most about thirty years.
constexpr std::uint64_t time_limit_ns(double seconds) {
  return static_cast<std::uint64_t>(1e9 * std::min(seconds, 1e9));
}

/// Nanoseconds of a clock of the processor that runs this.
KOKKOS_INLINE_FUNCTION std::uint64_t nanoseconds_now() {
#if defined(__CUDA_ARCH__)
  std::uint64_t now = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
#elif defined(__HIP_DEVICE_COMPILE__)
  return wall_clock64() * 10;  // it counts at 100 MHz
#else
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

/// How long one thread has polled for one thing. It reads the clock every 1024th poll.
///
///     PollTimer timer;
///     while (!is_ready()) {
///       if (timer.is_due() && timer.has_passed(limit_ns)) break;
///     }
class PollTimer {
 public:
  /// Counts a poll. Returns whether it is time to check the limit, and whether others have given up.
  KOKKOS_FUNCTION bool is_due() { return ++polls_ % 1024 == 0; }

  /// Returns whether more than `limit_ns` have passed since the first call.
  KOKKOS_FUNCTION bool has_passed(std::uint64_t limit_ns) {
    const std::uint64_t now = nanoseconds_now();
    if (since_ == 0) since_ = now;
    return now - since_ > limit_ns;
  }

  /// On a host, gives the processor to other threads after the first polls: they may be what this one waits for.
  KOKKOS_FUNCTION void yield() const {
#if !defined(__CUDA_ARCH__) && !defined(__HIP_DEVICE_COMPILE__)
    if (polls_ >= 64) std::this_thread::yield();
#endif
  }

 private:
  unsigned polls_ = 0;
  std::uint64_t since_ = 0;
};

/// How long the threads of kernels wait, and the flag that the first of them to give up sets for all others.
struct TimeLimit {
  std::uint64_t nanoseconds;
  int* gave_up;
};

/// Waits until is_ready() returns true. Returns false if the time limit has passed, or another thread has given up.
template <class IsReady>
KOKKOS_INLINE_FUNCTION bool wait_until(const IsReady& is_ready, const TimeLimit& limit) {
  PollTimer timer;
  while (!is_ready()) {
    timer.yield();
    if (!timer.is_due()) continue;
    if (timer.has_passed(limit.nanoseconds)) Kokkos::atomic_store(limit.gave_up, 1);
    if (Kokkos::atomic_load(limit.gave_up) != 0) return false;
  }
  return true;
}

}  // namespace ashlar
