#include <Kokkos_Core.hpp>

#ifdef KOKKOS_ENABLE_CUDA

#include <ashlar/base/memory.hpp>
#include <cstddef>

namespace ashlar::impl {

MemoryAmount device_memory() {
  std::size_t available = 0, total = 0;
  if (const cudaError_t error = cudaMemGetInfo(&available, &total); error != cudaSuccess) {
    throw Error("the memory of the device cannot be asked for", cudaGetErrorString(error),
                "see whether the device and its driver work");
  }
  return {total, available};
}

}  // namespace ashlar::impl

#endif
