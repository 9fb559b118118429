#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/algorithms.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/spmv/impl/choice/choose_launch.hpp>
#include <ashlar/spmv/impl/launch/instantiations.hpp>
#include <ashlar/spmv/impl/launch/launch.hpp>
#include <ashlar/spmv/impl/products/long_rows.hpp>
#include <ashlar/spmv/impl/products/scale.hpp>
#include <ashlar/spmv/plan.hpp>
#include <ashlar/spmv/traffic.hpp>
#include <cstdint>
#include <type_traits>

namespace ashlar {

namespace impl {

/// True if matrices of Value multiply vectors of Scalar: the same type, or doubles by real values of less precision.
template <class Value, class Scalar>
inline constexpr bool is_product_of_v =
    (scalar<Value> && std::is_same_v<Value, Scalar>) || std::is_same_v<vector_scalar_t<Value>, Scalar>;

/// Throws ShapeError where x and y overlap.
template <class X, class Y>
void check_apart(const X& x, const Y& y) {
  if (overlap(x, y)) {
    throw ShapeError(text("spmv: x and y overlap (", x.label(), ", ", y.label(), ")"),
                     "entries of x would change while they are read", "pass a y of its own");
  }
}

/// Throws ShapeError unless x and y have as many columns and are apart.
template <class X, class Y>
void check_columns(const X& x, const Y& y) {
  if (x.extent(1) != y.extent(1)) {
    throw ShapeError(text("spmv: x of ", x.extent(1), " columns and y of ", y.extent(1)),
                     "each column of y is the product with one of x", "pass as many columns of both");
  }
  check_apart(x, y);
}

/// Throws ShapeError unless the plan is of this matrix, and x and y are of as many columns, and apart.
template <class Matrix, class X, class Y>
void check_plan(const SpmvPlan<Matrix>& plan, const Matrix& a, const X& x, const Y& y) {
  if (!plan.fits(a)) {
    throw ShapeError(
        text("spmv: the plan is of another matrix than this one of ", a.num_block_rows(), " x ", a.num_block_cols(),
             " blocks of size ", to_string(a.block_shape()), ", ", a.num_blocks(), " stored"),
        "a plan holds what depends on the structure", "make a plan for this matrix");
  }
  check_columns(x, y);
}

/// Throws ShapeError unless op(A) is (rows of y) x (entries of x), and x and y are apart.
template <class Matrix, class X, class Y>
void check_spmv(const SpmvPlan<Matrix>& plan, const Matrix& a, const X& x, const Y& y) {
  const bool transpose = is_transposed(plan.mode());
  const std::int64_t rows = transpose ? a.num_cols() : a.num_rows();
  const std::int64_t cols = transpose ? a.num_rows() : a.num_cols();
  if (std::int64_t(x.extent(0)) != cols || std::int64_t(y.extent(0)) != rows) {
    throw ShapeError(text("spmv: x has ", x.extent(0), " entries and y has ", y.extent(0)),
                     text(symbol_of(plan.mode()), " is ", rows, " x ", cols, ": A has ", a.num_block_rows(), " x ",
                          a.num_block_cols(), " blocks of size ", to_string(a.block_shape())),
                     "make x as long as the matrix is wide and y as long as it is high");
  }
  check_plan(plan, a, x, y);
}

/// Rows of a block of op(A).
template <class Matrix>
int rows_of_block(const SpmvPlan<Matrix>& plan, const Matrix& a) {
  return is_transposed(plan.mode()) ? a.block_shape().cols : a.block_shape().rows;
}

/// Throws ShapeError unless op(A) has a block row for each of `rows`, y has room for these, and x is as long as op(A)
/// is wide; and x and y are apart.
template <class Matrix, class X, class Y, class Rows>
void check_spmv(const SpmvPlan<Matrix>& plan, const Matrix& a, const X& x, const Y& y, const Rows& rows) {
  const bool transpose = is_transposed(plan.mode());
  const std::int64_t block_rows = transpose ? a.num_block_cols() : a.num_block_rows();
  const std::int64_t cols = transpose ? a.num_rows() : a.num_cols();
  const int height = rows_of_block(plan, a);
  if (std::int64_t(rows.extent(0)) != block_rows) {
    throw ShapeError(text("spmv: a list of ", rows.extent(0), " block rows of y"),
                     text(symbol_of(plan.mode()), " has ", block_rows, " block rows"),
                     "list a block row of y for each of them");
  }
  const auto length = std::int64_t(y.extent(0));
  if (std::int64_t(x.extent(0)) != cols || length % height != 0 || length / height < block_rows) {
    throw ShapeError(text("spmv: x has ", x.extent(0), " entries and y has ", length),
                     text(symbol_of(plan.mode()), " has ", cols, " columns, and ", block_rows, " block rows of height ",
                          height, " that are listed"),
                     "make x as long as the matrix is wide, and y of whole block rows, as many as are listed or more");
  }
  check_plan(plan, a, x, y);
}

/// Fails to compile where spmv() does not take such vectors.
template <class Exec, class Matrix, class X, class Y>
constexpr void check_types() {
  using Scalar = typename X::non_const_value_type;
  static_assert(multi_vector_view<X> || vector_view<X>,
                "ashlar::spmv: x must be a contiguous Kokkos::View of rank 1, or one of rank 2");
  static_assert(multi_vector_view<Y> || vector_view<Y>,
                "ashlar::spmv: y must be a contiguous Kokkos::View of rank 1, or one of rank 2");
  static_assert(X::rank() == Y::rank(), "ashlar::spmv: x and y must have the same rank");
  static_assert(is_product_of_v<typename Matrix::scalar_type, Scalar>,
                "ashlar::spmv: x must hold the matrix's scalar type, or double where that is float or bfloat16");
  static_assert(std::is_same_v<typename Y::non_const_value_type, Scalar>, "ashlar::spmv: y must hold what x holds");
  static_assert(!std::is_const_v<typename Y::value_type>, "ashlar::spmv: y must be writable");
  static_assert(
      reachable_from<Exec, typename Matrix::values_view> && reachable_from<Exec, X> && reachable_from<Exec, Y>,
      "ashlar::spmv: A, x and y must be reachable from the execution space");
}

/// The kernels' arguments for A, as the plan reads it; x, y and a list of rows are left out.
template <class Scalar, class Matrix>
auto spmv_arguments(const SpmvPlan<Matrix>& plan, const Matrix& a, const Scalar& alpha, const Scalar& beta) {
  const bool transpose = is_transposed(plan.mode());
  const auto& graph = a.graph();
  const auto& index = plan.index();
  const auto* const row_ptr = transpose ? index.row_ptr.data() : graph.row_ptr().data();
  const BlockShape shape = transpose ? a.block_shape().transposed() : a.block_shape();
  return SpmvArguments<typename Matrix::scalar_type, Scalar, typename Matrix::ordinal_type,
                       typename Matrix::offset_type>{
      .num_block_rows = transpose ? std::int64_t(a.num_block_cols()) : std::int64_t(a.num_block_rows()),
      .num_blocks = static_cast<std::int64_t>(a.num_blocks()),
      .longest_row = plan.launch().longest_row,
      .block_shape = shape,
      .cols_of_block = Divisor(shape.cols),
      .conjugate = is_conjugated(plan.mode()),
      .hint = plan.cache_hint(),
      .row_begin = row_ptr,
      .row_end = row_ptr + 1,
      .col_idx = transpose ? index.block_row.data() : graph.col_idx().data(),
      .block = transpose ? index.block_offset.data() : nullptr,
      .values = a.values().data(),
      .alpha = alpha,
      .x = nullptr,
      .beta = beta,
      .y = nullptr,
      .row_of_y = {}};
}

/// One vector, by the kernel of the launch, or by its fallback.
template <class Exec, class Layout, class Arguments>
void run_launch(const Exec& exec, const SpmvLaunch& launch, const Arguments& arguments) {
  if (can_load_chunks(launch.kernel, arguments)) return run_spmv<Exec, Layout>(exec, launch, arguments);
  run_spmv<Exec, Layout>(exec, fallback_launch(exec, launch, arguments.block_shape), arguments);
}

/// The same for several vectors.
template <class Exec, class Layout, class Arguments, class Scalar>
void run_launch(const Exec& exec, const SpmvLaunch& launch, const Arguments& arguments,
                const MultiVectors<Scalar>& vectors) {
  if (can_load_chunks(launch.kernel, arguments) && can_read<Exec>(launch.kernel, arguments.block_shape, vectors)) {
    return run_spmv_multi<Exec, Layout>(exec, launch, arguments, vectors);
  }
  run_spmv_multi<Exec, Layout>(exec, fallback_launch(exec, launch, arguments.block_shape), arguments, vectors);
}

/// One vector.
template <class Exec, class Matrix, class Arguments, class Scalar>
void multiply_vector(const Exec& exec, const SpmvPlan<Matrix>& plan, Arguments arguments, const Scalar* x, Scalar* y) {
  using Layout = typename Matrix::layout_type;
  arguments.x = x;
  arguments.y = y;
  run_launch<Exec, Layout>(exec, plan.launch(), arguments);
  if (!plan.has_segments()) return;
  run_long_rows(exec, plan.segment_launch(), plan.long_rows(), arguments, MultiVectors<Scalar>{1, {x, 1, 0}, {y, 1, 0}},
                [&](const auto& segments, const Vectors<Scalar>&) {
                  run_launch<Exec, Layout>(exec, plan.segment_launch(), segments);
                });
}

/// Several vectors.
template <class Exec, class Matrix, class Arguments, class Scalar>
void multiply_vectors(const Exec& exec, const SpmvPlan<Matrix>& plan, const Arguments& arguments,
                      const MultiVectors<Scalar>& vectors) {
  using Layout = typename Matrix::layout_type;
  const bool by_rows = vectors.are_by_rows();
  run_launch<Exec, Layout>(exec, plan.multi_launch(by_rows), arguments, vectors);
  if (!plan.has_segments()) return;
  const int room = plan.long_rows().num_vectors;
  for (int first = 0; first < vectors.num_vectors; first += room) {
    const MultiVectors<Scalar> some = vectors.from(first, room);
    const SpmvLaunch& launch = plan.multi_segment_launch(by_rows);
    run_long_rows(
        exec, launch, plan.long_rows(), arguments, some, [&](const auto& segments, const Vectors<Scalar>& partial) {
          run_launch<Exec, Layout>(exec, launch, segments, MultiVectors<Scalar>{some.num_vectors, some.x, partial});
        });
  }
}

/// The product of vectors that have been checked.
template <class Exec, class Matrix, class Arguments, class X, class Y>
void multiply(const Exec& exec, const SpmvPlan<Matrix>& plan, const Arguments& arguments, const X& x, const Y& y) {
  if constexpr (X::rank() == 1) {
    multiply_vector(exec, plan, arguments, x.data(), y.data());
  } else {
    const MultiVectors<typename X::non_const_value_type> vectors{
        static_cast<int>(x.extent(1)),
        {x.data(), static_cast<std::int64_t>(x.stride(0)), static_cast<std::int64_t>(x.stride(1))},
        {y.data(), static_cast<std::int64_t>(y.stride(0)), static_cast<std::int64_t>(y.stride(1))}};
    if (vectors.num_vectors == 0) return;
    if (vectors.num_vectors == 1 && vectors.x.row_stride == 1 && vectors.y.row_stride == 1) {
      return multiply_vector(exec, plan, arguments, x.data(), y.data());
    }
    multiply_vectors(exec, plan, arguments, vectors);
  }
}

}  // namespace impl

/// y := alpha*op(A)*x + beta*y, where op(A) is what the plan's mode says: A, A^T, conj(A) or A^H.
///
/// Shapes   A is (block_rows*R) x (block_cols*C), of blocks of R x C; x and y are contiguous vectors of fitting
///          lengths, or multi-vectors, views of rank 2 with as many columns, of any layout.
/// Types    x, y, alpha and beta are of the matrix's scalar type; or double where the matrix holds floats or bfloat16,
///          and then the sums are of doubles too.
/// Memory   all three reachable from `exec`; x and y must not overlap.
/// Async    enqueued on `exec`; no fence, no allocation. Where the plan has segments, the first product on an instance
///          other than the plan's allocates their partial results (before a graph is captured, multiply once).
/// beta==0  y is overwritten: NaN in y does not spread.
/// alpha==0 A and x are not read, as in BLAS.
/// Traffic  spmv_traffic_bytes(A, beta == 0, plan.mode()). Multi-vectors: A is read once for all columns, but
///          by staged once for each eight where x is by columns. Fastest with the entries of a row together
///          (Kokkos::LayoutRight) and, where the matrix unit is not used (Kernel::tensor_core), a multiple of 4 or 8
///          columns; of 16 or 32 for blocks up to 8.
/// Throws   ashlar::ShapeError before anything is launched.
/// Source   Eberhardt & Hoemmen 2016.
template <execution_space Exec, bcsr_matrix Matrix, class X, class Y>
void spmv(const Exec& exec, const SpmvPlan<Matrix>& plan, const typename X::non_const_value_type& alpha,
          const Matrix& a, const X& x, const typename X::non_const_value_type& beta, const Y& y) {
  impl::check_types<Exec, Matrix, X, Y>();
  impl::check_spmv(plan, a, x, y);
  if (alpha == typename X::non_const_value_type(0)) return impl::scale(exec, beta, y);
  impl::multiply(exec, plan, impl::spmv_arguments(plan, a, alpha, beta), x, y);
}

/// The same product in some block rows of y: block row i of op(A) belongs to block row rows(i) of y, so that y(rows) :=
/// alpha*op(A)*x + beta*y(rows). Other rows of y are neither read nor written. A matrix with few non-empty block rows
/// stores only these; y has all rows.
///
/// Shapes   rows has an entry for each block row of op(A), in any order, and y at least as many block rows.
/// Types    rows is a contiguous view of the matrix's ordinal type.
/// Memory   rows reachable from `exec`. Its entries are the caller's promise, as block columns are: each a block row of
///          y, and no two the same.
/// Async    as without rows, which are read when the product runs.
/// Traffic  as without, and rows once.
/// Throws   ShapeError before anything is launched.
///
/// Any plan for A serves: of every kernel and mode, with segments or without; and each row has the same bits as without
/// rows.
template <execution_space Exec, bcsr_matrix Matrix, class X, class Y, vector_view Rows>
void spmv(const Exec& exec, const SpmvPlan<Matrix>& plan, const typename X::non_const_value_type& alpha,
          const Matrix& a, const X& x, const typename X::non_const_value_type& beta, const Y& y, const Rows& rows) {
  impl::check_types<Exec, Matrix, X, Y>();
  static_assert(std::is_same_v<typename Rows::non_const_value_type, typename Matrix::ordinal_type>,
                "ashlar::spmv: rows must hold the matrix's ordinal type");
  static_assert(reachable_from<Exec, Rows>, "ashlar::spmv: rows must be reachable from the execution space");
  impl::check_spmv(plan, a, x, y, rows);
  if (alpha == typename X::non_const_value_type(0)) {
    return impl::scale_rows(exec, beta, y, rows, impl::rows_of_block(plan, a));
  }
  auto arguments = impl::spmv_arguments(plan, a, alpha, beta);
  arguments.row_of_y.list = rows.data();
  impl::multiply(exec, plan, arguments, x, y);
}

/// y := alpha*A*x + beta*y with a plan made on the spot, after waiting for `exec` where that has many threads. For
/// many products with one matrix make the plan once.
template <execution_space Exec, bcsr_matrix Matrix, class X, class Y>
void spmv(const Exec& exec, const typename X::non_const_value_type& alpha, const Matrix& a, const X& x,
          const typename X::non_const_value_type& beta, const Y& y) {
  const int num_vectors = X::rank() == 2 && x.extent(1) > 0 ? static_cast<int>(x.extent(1)) : 1;
  spmv(exec, SpmvPlan<Matrix>(exec, a, {.num_vectors = num_vectors}), alpha, a, x, beta, y);
}

}  // namespace ashlar
