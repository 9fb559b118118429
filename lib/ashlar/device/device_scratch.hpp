#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <cstdint>

namespace ashlar {

namespace impl {

/// As the driver of an instance's GPU has it.
std::int64_t gpu_scratch_bytes(const Kokkos::DefaultExecutionSpace& exec);

}  // namespace impl

/// Bytes of scratch memory of a GPU's multiprocessor, for all teams that run on it at a time; 0 of a CPU.
///
/// Async    none.
template <execution_space Exec>
std::int64_t device_scratch_bytes([[maybe_unused]] const Exec& exec) {
  if constexpr (is_gpu_v<Exec>) {
    return impl::gpu_scratch_bytes(exec);
  } else {
    return 0;
  }
}

}  // namespace ashlar
