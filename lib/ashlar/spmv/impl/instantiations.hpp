#pragma once

#include <ashlar/spmv/impl/launch.hpp>
#include <ashlar/spmv/impl/launch_multi.hpp>

// The kernels that the library holds compiled, so that programs need not: 32-bit indices, the four scalar types,
// floats and bfloat16 with vectors of doubles, both layouts, the default execution space and the host's. Others are
// compiled where they are used. A macro, since an explicit instantiation is nothing that a template could make.
#define ASHLAR_SPMV_KERNEL(PREFIX, STRUCT, KERNEL, EXEC, VALUE, SCALAR)                                     \
  PREFIX template struct STRUCT<KERNEL, EXEC, VALUE, SCALAR, BlockColumnMajor, std::int32_t, std::int32_t>; \
  PREFIX template struct STRUCT<KERNEL, EXEC, VALUE, SCALAR, BlockRowMajor, std::int32_t, std::int32_t>;

#define ASHLAR_SPMV_KERNEL_SCALARS(PREFIX, STRUCT, KERNEL, EXEC)                                     \
  ASHLAR_SPMV_KERNEL(PREFIX, STRUCT, KERNEL, EXEC, float, float)                                     \
  ASHLAR_SPMV_KERNEL(PREFIX, STRUCT, KERNEL, EXEC, double, double)                                   \
  ASHLAR_SPMV_KERNEL(PREFIX, STRUCT, KERNEL, EXEC, Kokkos::complex<float>, Kokkos::complex<float>)   \
  ASHLAR_SPMV_KERNEL(PREFIX, STRUCT, KERNEL, EXEC, Kokkos::complex<double>, Kokkos::complex<double>) \
  ASHLAR_SPMV_KERNEL(PREFIX, STRUCT, KERNEL, EXEC, float, double)                                    \
  ASHLAR_SPMV_KERNEL(PREFIX, STRUCT, KERNEL, EXEC, bfloat16, double)

#define ASHLAR_SPMV_KERNELS(PREFIX, STRUCT, EXEC)                          \
  ASHLAR_SPMV_KERNEL_SCALARS(PREFIX, STRUCT, Kernel::by_block, EXEC)       \
  ASHLAR_SPMV_KERNEL_SCALARS(PREFIX, STRUCT, Kernel::by_column, EXEC)      \
  ASHLAR_SPMV_KERNEL_SCALARS(PREFIX, STRUCT, Kernel::row_per_thread, EXEC) \
  ASHLAR_SPMV_KERNEL_SCALARS(PREFIX, STRUCT, Kernel::block_row_per_thread, EXEC)

#define ASHLAR_SPMV_ALL_KERNELS(PREFIX, EXEC)                                \
  ASHLAR_SPMV_KERNELS(PREFIX, SpmvKernel, EXEC)                              \
  ASHLAR_SPMV_KERNEL_SCALARS(PREFIX, SpmvKernel, Kernel::by_line, EXEC)      \
  ASHLAR_SPMV_KERNEL_SCALARS(PREFIX, SpmvKernel, Kernel::by_tile, EXEC)      \
  ASHLAR_SPMV_KERNELS(PREFIX, SpmvMultiKernel, EXEC)                         \
  ASHLAR_SPMV_KERNEL_SCALARS(PREFIX, SpmvMultiKernel, Kernel::by_line, EXEC) \
  ASHLAR_SPMV_KERNEL_SCALARS(PREFIX, SpmvMultiKernel, Kernel::tensor_core, EXEC)

namespace ashlar::impl {
ASHLAR_SPMV_ALL_KERNELS(extern, Kokkos::DefaultHostExecutionSpace)
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
ASHLAR_SPMV_ALL_KERNELS(extern, Kokkos::DefaultExecutionSpace)
#endif
}  // namespace ashlar::impl
