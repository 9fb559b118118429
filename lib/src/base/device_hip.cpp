#include <Kokkos_Core.hpp>

#ifdef KOKKOS_ENABLE_HIP

#include <ashlar/base/device_cache.hpp>
#include <ashlar/base/device_name.hpp>
#include <ashlar/base/device_scratch.hpp>

namespace ashlar::impl {

std::string gpu_name(const Kokkos::DefaultExecutionSpace& exec) { return exec.hip_device_prop().name; }

// Which loads are non-temporal is part of the instruction.
std::int64_t gpu_cache_bytes(const Kokkos::DefaultExecutionSpace&) { return 0; }

std::int64_t gpu_scratch_bytes(const Kokkos::DefaultExecutionSpace& exec) {
  return static_cast<std::int64_t>(exec.hip_device_prop().maxSharedMemoryPerMultiProcessor);
}

}  // namespace ashlar::impl

#endif
