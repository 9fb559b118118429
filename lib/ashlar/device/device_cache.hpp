#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <cstdint>

namespace ashlar {

namespace impl {

/// As the driver of an instance's GPU has it.
std::int64_t gpu_cache_bytes(const Kokkos::DefaultExecutionSpace& exec);

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

}  // namespace ashlar
