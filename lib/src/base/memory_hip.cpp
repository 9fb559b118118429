#include <Kokkos_Core.hpp>

#ifdef KOKKOS_ENABLE_HIP

#include <ashlar/base/hip_check.hpp>
#include <ashlar/base/memory.hpp>
#include <cstddef>

namespace ashlar::impl {

MemoryAmount device_memory() {
  std::size_t available = 0, total = 0;
  hip_check(hipMemGetInfo(&available, &total), "hipMemGetInfo");
  return {total, available};
}

}  // namespace ashlar::impl

#endif
