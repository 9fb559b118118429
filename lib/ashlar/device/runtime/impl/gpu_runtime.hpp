#pragma once

#include <ashlar/device/runtime/impl/cuda_runtime.hpp>
#include <ashlar/device/runtime/impl/hip_runtime.hpp>

#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
/// There is a GPU, whose runtime is impl::gpu: Kokkos has one of the two backends at most.
#define ASHLAR_HAS_GPU_RUNTIME
#endif
