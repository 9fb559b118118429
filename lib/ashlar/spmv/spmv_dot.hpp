#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/real_product.hpp>
#include <ashlar/device/team_sums.hpp>
#include <ashlar/spmv/impl/spmv_dot_kernel.hpp>
#include <ashlar/spmv/spmv.hpp>
#include <ashlar/spmv/team_product.hpp>
#include <cstdint>
#include <type_traits>

// Kernels that the library holds compiled.
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
namespace ashlar::impl {
extern template struct SpmvDotKernel<Kokkos::DefaultExecutionSpace, double, BlockColumnMajor, std::int32_t,
                                     std::int32_t>;
extern template struct SpmvDotKernel<Kokkos::DefaultExecutionSpace, double, BlockRowMajor, std::int32_t, std::int32_t>;
extern template struct SpmvDotKernel<Kokkos::DefaultExecutionSpace, float, BlockColumnMajor, std::int32_t,
                                     std::int32_t>;
extern template struct SpmvDotKernel<Kokkos::DefaultExecutionSpace, float, BlockRowMajor, std::int32_t, std::int32_t>;
}  // namespace ashlar::impl
#endif

namespace ashlar {

/// y := A x and *total := x^H y, its real part: in one pass on GPUs, for real square blocks up to 7 of a compiled size
/// that are not transposed; else one after the other.
///
/// Shapes   A is square; x and y are contiguous vectors of num_rows() entries.
/// Memory   all reachable from `exec`; x and y must not overlap; `sums` is scratch memory, nobody else's until this has
///          ended.
/// Async    enqueued on `exec`; no fence, no allocation. Two runs give the same bits.
/// Traffic  spmv_traffic_bytes(A, true, plan.mode()), where it is one pass; else |x| + |y| more.
/// Throws   ShapeError before anything is launched.
template <execution_space Exec, bcsr_matrix Matrix, vector_view X, vector_view Y>
void spmv_dot(const Exec& exec, const SpmvPlan<Matrix>& plan, const Matrix& a, const X& x, const Y& y,
              const TeamSumsAccess& sums, double* total) {
  using Scalar = typename X::non_const_value_type;
  using Value = typename Matrix::scalar_type;
  if (x.extent(0) != y.extent(0)) {
    throw ShapeError(text("spmv_dot: x has ", x.extent(0), " entries and y has ", y.extent(0)),
                     "their dot product is asked for: A must be square", "multiply by spmv()");
  }
  if constexpr (is_gpu_v<Exec> && std::is_same_v<Value, Scalar> && std::is_floating_point_v<Value>) {
    if (why_no_team_product(plan, a).empty() && plan.launch().grouping.width > 0) {
      impl::check_spmv(plan, a, x, y);
      if (a.num_block_rows() == 0) {
        Kokkos::deep_copy(exec, Kokkos::View<double, typename Exec::memory_space>(total), 0.0);
        return;
      }
      auto arguments = impl::spmv_arguments(plan, a, Scalar(1), Scalar(0));
      arguments.x = x.data();
      arguments.y = y.data();
      impl::SpmvDotKernel<Exec, Value, typename Matrix::layout_type, typename Matrix::ordinal_type,
                          typename Matrix::offset_type>::run(exec, plan.launch().label + "[dot]", plan.launch().tile,
                                                             arguments, sums, total);
      return;
    }
  }
  spmv(exec, plan, Scalar(1), a, x, Scalar(0), y);
  sum_over_entries<1>(
      "ashlar::spmv_dot[dot]", exec, y.extent(0), sums, {total},
      KOKKOS_LAMBDA(std::int64_t i, double(&sum)[1]) { sum[0] += real_product(x(i), y(i)); });
}

}  // namespace ashlar
