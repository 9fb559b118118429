#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/spmv/impl/instantiations.hpp>
#include <ashlar/spmv/impl/launch.hpp>
#include <ashlar/spmv/impl/scale.hpp>
#include <ashlar/spmv/plan.hpp>
#include <ashlar/spmv/traffic.hpp>
#include <cstdint>
#include <type_traits>

namespace ashlar {

namespace impl {

/// Whether matrices of Value multiply vectors of Scalar: the same, or values kept in single precision.
template <class Value, class Scalar>
inline constexpr bool is_product_of_v = std::is_same_v<Value, Scalar> ||
                                        (std::is_same_v<Value, float> && std::is_same_v<Scalar, double>);

/// Throws ShapeError unless op(A) is (rows of y) x (entries of x), and x and y are apart.
template <class Matrix, class X, class Y>
void check_spmv(const SpmvPlan<Matrix>& plan, const Matrix& a, const X& x, const Y& y) {
  const bool transpose = plan.mode() == Mode::transpose;
  const std::int64_t rows = transpose ? a.num_cols() : a.num_rows();
  const std::int64_t cols = transpose ? a.num_rows() : a.num_cols();
  if (std::int64_t(x.extent(0)) != cols || std::int64_t(y.extent(0)) != rows) {
    throw ShapeError(text("spmv: x has ", x.extent(0), " entries and y has ", y.extent(0)),
                     text(transpose ? "A^T is " : "A is ", rows, " x ", cols, ": ", a.num_block_rows(), " x ",
                          a.num_block_cols(), " blocks of size ", a.block_size()),
                     "make x as long as the matrix is wide and y as long as it is high");
  }
  if (!plan.fits(a)) {
    throw ShapeError(text("spmv: the plan is of another matrix than this one of ", a.num_block_rows(), " x ",
                          a.num_block_cols(), " blocks of size ", a.block_size(), ", ", a.num_blocks(), " stored"),
                     "a plan holds what depends on the structure", "make a plan for this matrix");
  }
  const auto x_begin = reinterpret_cast<std::uintptr_t>(x.data()), y_begin = reinterpret_cast<std::uintptr_t>(y.data());
  const auto x_end = reinterpret_cast<std::uintptr_t>(x.data() + cols);
  const auto y_end = reinterpret_cast<std::uintptr_t>(y.data() + rows);
  if (rows > 0 && cols > 0 && x_begin < y_end && y_begin < x_end) {
    throw ShapeError(text("spmv: x and y overlap (", x.label(), ", ", y.label(), ")"),
                     "entries of x would change while they are read", "pass a y of its own");
  }
}

}  // namespace impl

/// y := alpha*A*x + beta*y, or y := alpha*A^T*x + beta*y where the plan is of Mode::transpose.
///
/// Shapes   A is (block_rows*b) x (block_cols*b); x and y are contiguous vectors of fitting lengths.
/// Types    x, y, alpha and beta are of the matrix's scalar type; or double where the matrix holds floats, and then the
///          sums are of doubles too.
/// Memory   all three reachable from `exec`; x and y must not overlap.
/// Async    enqueued on `exec`; no fence, no allocation.
/// beta==0  y is overwritten: NaN in y does not spread.
/// alpha==0 A and x are not read, as in BLAS.
/// Traffic  spmv_traffic_bytes(A, beta == 0, plan.mode()).
/// Throws   ashlar::ShapeError before anything is launched.
/// Source   Eberhardt & Hoemmen 2016.
template <execution_space Exec, bcsr_matrix Matrix, class X, class Y>
void spmv(const Exec& exec, const SpmvPlan<Matrix>& plan, const typename X::non_const_value_type& alpha,
          const Matrix& a, const X& x, const typename X::non_const_value_type& beta, const Y& y) {
  using Value = typename Matrix::scalar_type;
  using Scalar = typename X::non_const_value_type;
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;
  static_assert(vector_view<X>, "ashlar::spmv: x must be a contiguous Kokkos::View of rank 1");
  static_assert(vector_view<Y>, "ashlar::spmv: y must be a contiguous Kokkos::View of rank 1");
  static_assert(impl::is_product_of_v<Value, Scalar>,
                "ashlar::spmv: x must hold the matrix's scalar type, or double where that is float");
  static_assert(std::is_same_v<typename Y::non_const_value_type, Scalar>, "ashlar::spmv: y must hold what x holds");
  static_assert(!std::is_const_v<typename Y::value_type>, "ashlar::spmv: y must be writable");
  static_assert(
      reachable_from<Exec, typename Matrix::values_view> && reachable_from<Exec, X> && reachable_from<Exec, Y>,
      "ashlar::spmv: A, x and y must be reachable from the execution space");
  impl::check_spmv(plan, a, x, y);
  if (alpha == Scalar(0)) return impl::scale(exec, beta, y);

  const bool transpose = plan.mode() == Mode::transpose;
  const auto& graph = a.graph();
  const auto& index = plan.index();
  const auto* const row_ptr = transpose ? index.row_ptr.data() : graph.row_ptr().data();
  const impl::SpmvArguments<Value, Scalar, Ordinal, Offset> arguments{
      .num_block_rows = transpose ? std::int64_t(a.num_block_cols()) : std::int64_t(a.num_block_rows()),
      .num_blocks = a.num_blocks(),
      .longest_row = plan.launch().longest_row,
      .block_size = a.block_size(),
      .row_begin = row_ptr,
      .row_end = row_ptr + 1,
      .col_idx = transpose ? index.block_row.data() : graph.col_idx().data(),
      .block = transpose ? index.block_offset.data() : nullptr,
      .values = a.values().data(),
      .alpha = alpha,
      .x = x.data(),
      .beta = beta,
      .y = y.data()};
  impl::run_spmv<Exec, typename Matrix::layout_type>(exec, plan.launch(), arguments);
  impl::run_long_rows<Exec, typename Matrix::layout_type>(exec, plan.segment_launch(), plan.long_rows(), arguments);
}

/// y := alpha*A*x + beta*y with a plan made on the spot, after waiting for `exec` where that has many threads. For
/// many products with one matrix make the plan once.
template <execution_space Exec, bcsr_matrix Matrix, class X, class Y>
void spmv(const Exec& exec, const typename X::non_const_value_type& alpha, const Matrix& a, const X& x,
          const typename X::non_const_value_type& beta, const Y& y) {
  spmv(exec, SpmvPlan<Matrix>(exec, a), alpha, a, x, beta, y);
}

}  // namespace ashlar
