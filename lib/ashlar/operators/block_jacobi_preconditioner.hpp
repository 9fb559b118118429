#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/graph.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/bcsr/validate.hpp>
#include <ashlar/device/teams/team_sums.hpp>
#include <ashlar/persistent_cg/one_device.hpp>
#include <ashlar/spmv/block_sizes.hpp>
#include <ashlar/spmv/spmv.hpp>
#include <ashlar/spmv/spmv_dot.hpp>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace ashlar::impl {

/// Inverts the dense matrix `a` of n x n in place, entry (i, j) at a[i + j*n]: Gauss-Jordan elimination with row
/// pivoting; `pivot` is scratch of n entries. Returns false if a pivot is zero or not finite; `a` is then invalid.
///
/// Either storage order serves: the inverse of the transpose is the transpose of the inverse.
template <class Scalar, class Index>
KOKKOS_INLINE_FUNCTION bool invert_block(Scalar* a, Index* pivot, int n) {
  const auto at = [=](int i, int j) -> Scalar& { return a[i + j * n]; };
  for (int k = 0; k < n; ++k) {
    int largest = k;
    for (int i = k + 1; i < n; ++i) {
      if (abs_squared(at(i, k)) > abs_squared(at(largest, k))) largest = i;
    }
    pivot[k] = static_cast<Index>(largest);
    if (largest != k) {
      for (int j = 0; j < n; ++j) {
        const Scalar held = at(k, j);
        at(k, j) = at(largest, j);
        at(largest, j) = held;
      }
    }
    const Scalar inverse = Scalar(1) / at(k, k);
    if (at(k, k) == Scalar(0) || !is_finite(at(k, k)) || !is_finite(inverse)) return false;
    at(k, k) = Scalar(1);
    for (int j = 0; j < n; ++j) at(k, j) *= inverse;
    for (int i = 0; i < n; ++i) {
      if (i == k) continue;
      const Scalar factor = at(i, k);
      at(i, k) = Scalar(0);
      for (int j = 0; j < n; ++j) at(i, j) -= factor * at(k, j);
    }
  }
  // The rows were exchanged; the inverse needs its columns exchanged back, last first.
  for (int k = n - 1; k >= 0; --k) {
    if (pivot[k] == k) continue;
    for (int i = 0; i < n; ++i) {
      const Scalar held = at(i, k);
      at(i, k) = at(i, pivot[k]);
      at(i, pivot[k]) = held;
    }
  }
  return true;
}

}  // namespace ashlar::impl

namespace ashlar {

namespace impl {

/// inverse(i) := the inverse of A's diagonal block i, of max_block_size at most, one thread a block; returns the first
/// block row whose block is missing or singular, or num_block_rows.
template <class Exec, class Matrix>
std::int64_t invert_diagonal_blocks(const Exec& exec, const Matrix& matrix,
                                    const typename Matrix::values_view& inverse) {
  const auto row_ptr = matrix.graph().row_ptr();
  const auto col_idx = matrix.graph().col_idx();
  const auto values = matrix.values();
  const int b = matrix.block_size();
  const std::int64_t n = matrix.num_block_rows();
  std::int64_t first_bad = n;
  Kokkos::parallel_reduce(
      "ashlar::block_jacobi[invert]", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, n),
      KOKKOS_LAMBDA(std::int64_t i, std::int64_t & bad) {
        const std::int64_t size = std::int64_t(b) * b, block = find_block(row_ptr, col_idx, i, i);
        bool good = block >= 0;
        if (good) {
          for (std::int64_t k = 0; k < size; ++k) inverse(i * size + k) = values(block * size + k);
          std::uint8_t pivots[max_block_size];
          good = invert_block(&inverse(i * size), pivots, b);
        }
        if (!good && i < bad) bad = i;
      },
      Kokkos::Min<std::int64_t>(first_bad));
  exec.fence("ashlar::block_jacobi: first singular block");
  return first_bad < n ? first_bad : n;
}

/// The graph of a block-diagonal matrix of n block rows.
template <class Graph, class Exec>
Graph diagonal_graph(const Exec& exec, typename Graph::ordinal_type n) {
  using Offset = typename Graph::offset_type;
  using Ordinal = typename Graph::ordinal_type;
  using Space = typename Graph::memory_space;
  using Kokkos::view_alloc;
  using Kokkos::WithoutInitializing;
  Kokkos::View<Offset*, Space> row_ptr(view_alloc(WithoutInitializing, "ashlar::row_ptr"), std::size_t(n) + 1);
  Kokkos::View<Ordinal*, Space> col_idx(view_alloc(WithoutInitializing, "ashlar::col_idx"), std::size_t(n));
  Kokkos::parallel_for(
      "ashlar::diagonal_graph",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, std::int64_t(n) + 1),
      KOKKOS_LAMBDA(std::int64_t i) {
        row_ptr(i) = static_cast<Offset>(i);
        if (i < n) col_idx(i) = static_cast<Ordinal>(i);
      });
  return {n, row_ptr, col_idx};
}

/// z_i := A_ii^-1 r_i for block row i, and its share of r^H z, on a host.
template <int B, class Layout, class Scalar>
struct BlockJacobiDot {
  const Scalar* inverse;
  const Scalar* r;
  Scalar* z;

  void operator()(std::int64_t i, double (&sum)[1]) const {
    const Scalar *const block = inverse + i * (B * B), *const from = r + i * B;
    Scalar result[B] = {};
    for (int column = 0; column < B; ++column) {
      for (int row = 0; row < B; ++row) result[row] += block[Layout::at(row, column, B, B)] * from[column];
    }
    double share = 0;
    for (int row = 0; row < B; ++row) share += real_product(from[row], result[row]);
    for (int row = 0; row < B; ++row) z[i * B + row] = result[row];
    sum[0] += share;
  }
};

}  // namespace impl

/// The diagonal blocks of A as preconditioner: z_i := A_ii^-1 r_i, with the blocks inverted once.
///
/// The inverse is itself a BCSR matrix with one block a row, and applying it is an spmv.
///
/// Shapes   A is square, with square blocks; r and z are vectors, or multi-vectors, of as many rows as A.
/// Memory   num_block_rows blocks and their structure in the matrix's memory space. Copies share the blocks.
/// Async    the constructor and update_values() wait for `exec`; the rest is enqueued. Only the constructor allocates.
/// Throws   ShapeError for a matrix that is not square, NumericalError naming the first block row whose diagonal block
///          is missing or singular, StructureError instead if the graph is not valid (columns that do not ascend),
///          BlockSizeError for a block size that spmv cannot take.
/// Source   Saad, Iterative Methods for Sparse Linear Systems, sections 4.1.1 and 10.2.
template <bcsr_matrix Matrix>
class BlockJacobiPreconditioner {
 public:
  template <execution_space Exec>
  BlockJacobiPreconditioner(const Exec& exec, const Matrix& matrix)
      : inverse_(room_for_inverse(exec, matrix)), plan_(exec, inverse_) {
    update_values(exec, matrix);
  }

  /// The diagonal blocks of new values, for this object and its copies. After an exception it is of no use until
  /// another call succeeds.
  ///
  /// Throws   ShapeError for a matrix of other sizes; else as the constructor.
  template <execution_space Exec>
  void update_values(const Exec& exec, const Matrix& matrix) const {
    if (matrix.num_block_rows() != inverse_.num_block_rows() || matrix.num_block_cols() != matrix.num_block_rows() ||
        matrix.block_shape() != inverse_.block_shape()) {
      throw ShapeError(text("block-Jacobi: new values of a matrix of ", matrix.num_block_rows(), " x ",
                            matrix.num_block_cols(), " blocks of ", to_string(matrix.block_shape())),
                       text("the preconditioner was made for ", inverse_.num_block_rows(), " block rows of size ",
                            inverse_.block_size()),
                       "make a new preconditioner");
    }
    const std::int64_t bad = impl::invert_diagonal_blocks(exec, matrix, inverse_.values());
    if (bad < std::int64_t(matrix.num_block_rows())) {
      validate(exec, matrix.graph());
      throw NumericalError(bad, text("block-Jacobi: the diagonal block of block row ", bad, " (from 0) has no inverse"),
                           text("it is missing or singular; the block size is ", matrix.block_size()),
                           "use no preconditioner, or another block size");
    }
  }

  /// z := D^-1 r. Enqueued on `exec`; no fence, no allocation.
  template <execution_space Exec, class R, class Z>
  void apply(const Exec& exec, const R& r, const Z& z) const {
    spmv(exec, plan_, 1, inverse_, r, 0, z);
  }

  /// The same, and *slot := r^H z, its real part: in one pass where spmv_dot() is.
  template <execution_space Exec, vector_view R, vector_view Z>
  void apply_dot(const Exec& exec, const R& r, const Z& z, const TeamSumsAccess& sums, double* slot) const {
    using Scalar = typename Matrix::scalar_type;
    if constexpr (!is_gpu_v<Exec> && std::is_same_v<typename R::non_const_value_type, Scalar>) {
      // A block row of one small block is less work than a kernel's loop over block rows.
      bool is_done = false;
      impl::with_block_size_of(std::integer_sequence<int, 2, 3, 4, 5, 6>{}, inverse_.block_size(), [&](auto b) {
        if constexpr (b() > 0) {
          impl::check_spmv(plan_, inverse_, r, z);
          sum_over_entries<1>("ashlar::block_jacobi[apply,dot]", exec, inverse_.num_block_rows(), sums, {slot},
                              impl::BlockJacobiDot<b(), typename Matrix::layout_type, Scalar>{inverse_.values().data(),
                                                                                              r.data(), z.data()});
          is_done = true;
        }
      });
      if (is_done) return;
    }
    spmv_dot(exec, plan_, inverse_, r, z, sums, slot);
  }

  bool is_identity() const { return false; }
  /// True if the host never waits: on a device.
  bool is_stream_ordered() const { return is_gpu_v<typename Matrix::memory_space::execution_space>; }
  bool is_capturable() const { return true; }
  DiagonalInverse<typename Matrix::scalar_type> diagonal_inverse() const {
    return {inverse_.values().data(), inverse_.block_size(),
            std::is_same_v<typename Matrix::layout_type, BlockColumnMajor>};
  }
  std::int64_t traffic_bytes() const { return spmv_traffic_bytes(inverse_); }

 private:
  /// A block for each row. Its values are not set.
  template <class Exec>
  static Matrix room_for_inverse(const Exec& exec, const Matrix& matrix) {
    if (matrix.num_block_rows() != matrix.num_block_cols()) {
      throw ShapeError(
          text("block-Jacobi: a matrix of ", matrix.num_block_rows(), " x ", matrix.num_block_cols(), " blocks"),
          "only a square matrix has a diagonal to invert", impl::instead_of_not_square);
    }
    const std::int64_t n = matrix.num_block_rows(), b = matrix.block_size();
    const typename Matrix::values_view values(
        Kokkos::view_alloc(Kokkos::WithoutInitializing, "ashlar::block_jacobi::inverse"), n * b * b);
    return Matrix(static_cast<int>(b), impl::diagonal_graph<typename Matrix::graph_type>(exec, matrix.num_block_rows()),
                  values);
  }

  Matrix inverse_;
  SpmvPlan<Matrix> plan_;
};

}  // namespace ashlar
