#include "device_memory.hpp"

#include <mpi.h>
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>  // Open MPI and its kin
#endif

namespace ashlar::impl {

namespace {

// Open MPI has a function for each kind of device, and a macro that tells whether the function is there; MPICH has one
// function for all.

bool says_it_takes_cuda() {
#if defined(MPIX_CUDA_AWARE_SUPPORT)
  return MPIX_Query_cuda_support() == 1;
#elif defined(MPIX_GPU_SUPPORT_CUDA)
  int is_supported = 0;
  return MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &is_supported) == MPI_SUCCESS && is_supported != 0;
#else
  return false;
#endif
}

bool says_it_takes_hip() {
#if defined(MPIX_ROCM_AWARE_SUPPORT)
  return MPIX_Query_rocm_support() == 1;
#elif defined(MPIX_GPU_SUPPORT_HIP)
  int is_supported = 0;
  return MPIX_GPU_query_support(MPIX_GPU_SUPPORT_HIP, &is_supported) == MPI_SUCCESS && is_supported != 0;
#else
  return false;
#endif
}

}  // namespace

bool mpi_says_it_takes(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::host:
      return true;
    case MemoryKind::cuda:
      return says_it_takes_cuda();
    case MemoryKind::hip:
      return says_it_takes_hip();
    case MemoryKind::other:
      return false;
  }
  return false;
}

}  // namespace ashlar::impl
