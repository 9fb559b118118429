#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/algorithms.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/build_by_rows.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <cstdint>

namespace ashlar {

namespace impl {

/// Where in block row i the columns from i on begin; columns ascend.
template <class Matrix>
struct UpperPart {
  typename Matrix::graph_type::row_ptr_view row_ptr;
  typename Matrix::graph_type::col_idx_view col_idx;

  KOKKOS_INLINE_FUNCTION std::int64_t begin(std::int64_t i) const {
    return first_not_less(col_idx, row_ptr(i), row_ptr(i + 1), i);
  }

  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const { return std::int64_t(row_ptr(i + 1)) - begin(i); }
};

template <class Matrix>
struct FillSymmetricHalf {
  UpperPart<Matrix> upper;
  typename Matrix::values_view values;

  template <class Row>
  KOKKOS_FUNCTION void operator()(std::int64_t i, const Row& row) const {
    using Scalar = typename Matrix::scalar_type;
    const int b = row.block_size();
    const std::int64_t begin = upper.begin(i);
    for (int k = 0; k < row.num_blocks(); ++k) {
      const auto column = upper.col_idx(begin + k);
      const Scalar factor(column == i ? 0.5 : 1.0);
      row.column(k) = column;
      for (int c = 0; c < b; ++c) {
        for (int r = 0; r < b; ++r) {
          row.value(k, r, c) = factor * values((begin + k) * b * b + Matrix::layout_type::at(r, c, b));
        }
      }
    }
  }
};

}  // namespace impl

/// T with A = T + T^T, for a symmetric A: its upper triangle of blocks, and half of each block on the diagonal. (To
/// halve a number is exact, but for the smallest ones of all.)
///
/// The part below the diagonal is not checked: hermitian_defect() says whether A is symmetric.
///
/// Shapes   A is square; T is as large, with somewhat more than half of the blocks.
/// Types    real.
/// Memory   allocates T where A is, which `exec` reaches.
/// Async    waits for `exec` once; the fill is enqueued.
/// Throws   ShapeError where A is not square, BlockSizeError where its blocks are not.
template <execution_space Exec, bcsr_matrix Matrix>
Matrix symmetric_half(const Exec& exec, const Matrix& matrix) {
  static_assert(!is_complex_v<typename Matrix::scalar_type>, "ashlar::symmetric_half: the matrix must be real");
  static_assert(reachable_from<Exec, typename Matrix::values_view>,
                "ashlar::symmetric_half: the matrix must be reachable from the execution space");
  const int b = matrix.block_size();
  if (matrix.num_block_rows() != matrix.num_block_cols()) {
    throw ShapeError(text("symmetric_half: ", matrix.num_block_rows(), " x ", matrix.num_block_cols(), " blocks"),
                     "a symmetric matrix is square", "pass a symmetric matrix");
  }
  const impl::UpperPart<Matrix> upper{matrix.graph().row_ptr(), matrix.graph().col_idx()};
  return build_by_rows<Matrix>(exec, b, matrix.num_block_rows(), matrix.num_block_rows(), upper,
                               impl::FillSymmetricHalf<Matrix>{upper, matrix.values()});
}

}  // namespace ashlar
