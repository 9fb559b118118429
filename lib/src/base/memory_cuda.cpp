#include <Kokkos_Core.hpp>

#ifdef KOKKOS_ENABLE_CUDA

#include <ashlar/base/cuda_check.hpp>
#include <ashlar/base/memory.hpp>
#include <cstddef>

namespace ashlar::impl {

MemoryAmount device_memory() {
  std::size_t available = 0, total = 0;
  cuda_check(cudaMemGetInfo(&available, &total), "cudaMemGetInfo");
  return {total, available};
}

}  // namespace ashlar::impl

#endif
