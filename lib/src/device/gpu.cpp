#include <ashlar/device/loads/cache_hint.hpp>
#include <ashlar/device/memory/available_memory.hpp>
#include <ashlar/device/probes/device_properties.hpp>
#include <ashlar/device/runtime/impl/gpu_runtime.hpp>
#include <cstddef>

#ifdef ASHLAR_HAS_GPU_RUNTIME

namespace ashlar::impl {

std::string gpu_name(const Kokkos::DefaultExecutionSpace& exec) { return gpu::device_name(exec); }
std::int64_t gpu_cache_bytes(const Kokkos::DefaultExecutionSpace& exec) { return gpu::cache_bytes(exec); }
std::int64_t gpu_scratch_bytes(const Kokkos::DefaultExecutionSpace& exec) { return gpu::scratch_bytes(exec); }

MemoryAmount device_memory() {
  std::size_t available = 0, total = 0;
  gpu::memory_amount(available, total);
  return {total, available};
}

}  // namespace ashlar::impl

#endif
