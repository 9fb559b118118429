#include <Kokkos_Core.hpp>

#ifdef KOKKOS_ENABLE_CUDA

#include <ashlar/base/device_cache.hpp>
#include <ashlar/base/device_name.hpp>
#include <ashlar/base/device_scratch.hpp>

namespace ashlar::impl {

std::string gpu_name(const Kokkos::DefaultExecutionSpace& exec) { return exec.cuda_device_prop().name; }

std::int64_t gpu_cache_bytes(const Kokkos::DefaultExecutionSpace& exec) {
  const auto& device = exec.cuda_device_prop();
  return device.major >= 8 ? device.l2CacheSize : 0;
}

std::int64_t gpu_scratch_bytes(const Kokkos::DefaultExecutionSpace& exec) {
  return static_cast<std::int64_t>(exec.cuda_device_prop().sharedMemPerMultiprocessor);
}

}  // namespace ashlar::impl

#endif
