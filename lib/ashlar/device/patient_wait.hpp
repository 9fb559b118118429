#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#ifndef __CUDA_ARCH__
#include <chrono>
#include <thread>
#endif

namespace ashlar {

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

/// Nanoseconds to wait; at most some thirty years.
inline std::uint64_t patience_of(double seconds) { return static_cast<std::uint64_t>(1e9 * std::min(seconds, 1e9)); }

/// Returns when is_ready() says so: true; or false when `patience` nanoseconds have passed, or another thread has given
/// up for `gave_up`, which this sets then.
template <class IsReady>
KOKKOS_INLINE_FUNCTION bool wait_patiently(const IsReady& is_ready, std::uint64_t patience, int* gave_up) {
  std::uint64_t since = 0;
  for (unsigned polls = 1; !is_ready(); ++polls) {
#if !defined(__CUDA_ARCH__) && !defined(__HIP_DEVICE_COMPILE__)
    if (polls > 64) std::this_thread::yield();  // whom this waits for may want the processor
#endif
    if (polls % 1024 != 0) continue;
    const std::uint64_t now = nanoseconds_now();
    if (since == 0) since = now;
    if (now - since > patience) Kokkos::atomic_store(gave_up, 1);
    if (Kokkos::atomic_load(gave_up) != 0) return false;
  }
  return true;
}

}  // namespace ashlar
