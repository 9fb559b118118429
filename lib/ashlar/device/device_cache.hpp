#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/device/cache_hint.hpp>
#include <cstdint>

namespace ashlar {

namespace impl {

/// As the driver of an instance's GPU has it.
std::int64_t gpu_cache_bytes(const Kokkos::DefaultExecutionSpace& exec);
CacheHint gpu_cache_hint(const Kokkos::DefaultExecutionSpace& exec, int kept);

}  // namespace impl

/// Bytes of the last cache of a GPU, where loads can tell it what to keep (CacheHint: CUDA from compute capability 8.0
/// on); 0 elsewhere.
///
/// Async    none.
template <execution_space Exec>
std::int64_t device_cache_bytes([[maybe_unused]] const Exec& exec) {
  if constexpr (is_gpu_v<Exec>) {
    return impl::gpu_cache_bytes(exec);
  } else {
    return 0;
  }
}

/// A hint that kernels on `exec` may be passed: it keeps `kept` of CacheHint::parts lines.
///
/// Async    a device is asked for its policies once, in a small kernel on `exec` that the host waits for.
template <execution_space Exec>
CacheHint cache_hint_for([[maybe_unused]] const Exec& exec, int kept) {
  if constexpr (is_gpu_v<Exec>) {
    return impl::gpu_cache_hint(exec, kept);
  } else {
    return CacheHint(kept);
  }
}

}  // namespace ashlar
