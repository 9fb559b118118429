#include <Kokkos_Core.hpp>

#ifdef KOKKOS_ENABLE_HIP

#include <ashlar/base/device_cache.hpp>
#include <ashlar/base/device_name.hpp>

namespace ashlar::impl {

std::string gpu_name(const Kokkos::DefaultExecutionSpace& exec) { return exec.hip_device_prop().name; }

// Which loads are non-temporal is part of the instruction.
std::int64_t gpu_cache_bytes(const Kokkos::DefaultExecutionSpace&) { return 0; }

}  // namespace ashlar::impl

#endif
