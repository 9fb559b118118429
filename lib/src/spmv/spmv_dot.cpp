#include <ashlar/spmv/spmv_dot.hpp>

#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
namespace ashlar::impl {
template struct SpmvDotKernel<Kokkos::DefaultExecutionSpace, double, BlockColumnMajor, std::int32_t, std::int32_t>;
template struct SpmvDotKernel<Kokkos::DefaultExecutionSpace, double, BlockRowMajor, std::int32_t, std::int32_t>;
template struct SpmvDotKernel<Kokkos::DefaultExecutionSpace, float, BlockColumnMajor, std::int32_t, std::int32_t>;
template struct SpmvDotKernel<Kokkos::DefaultExecutionSpace, float, BlockRowMajor, std::int32_t, std::int32_t>;
}  // namespace ashlar::impl
#endif
