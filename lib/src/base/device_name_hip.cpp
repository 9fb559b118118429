#include <Kokkos_Core.hpp>

#ifdef KOKKOS_ENABLE_HIP

#include <ashlar/base/device_name.hpp>

namespace ashlar::impl {

std::string gpu_name(const Kokkos::DefaultExecutionSpace& exec) { return exec.hip_device_prop().name; }

}  // namespace ashlar::impl

#endif
