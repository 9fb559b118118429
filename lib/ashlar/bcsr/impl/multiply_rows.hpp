#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/algorithms.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/bcsr/block.hpp>
#include <ashlar/bcsr/impl/multiply_rows_by_team.hpp>
#include <cstdint>

// The values of a product of block matrices, row by row.

namespace ashlar::impl {

/// Rows, inner size and columns of a product of two blocks; 0 stands for "known at run time only".
template <int R, int K, int C>
struct ProductShape {
  static constexpr int rows = R, inner = K, cols = C;
};

/// Calls function(ProductShape) with the shape, if it is one that algebraic multigrid has for 1, 2, 3 or 6 unknowns a
/// node, or with zeros.
template <class Function>
void with_product_shape(int rows, int inner, int cols, const Function& function) {
  bool found = false;
  const auto offer = [&]<int R, int K, int C>(ProductShape<R, K, C> shape) {
    if (found || rows != R || inner != K || cols != C) return;
    found = true;
    function(shape);
  };
  offer(ProductShape<1, 1, 1>{});
  offer(ProductShape<2, 2, 2>{});
  offer(ProductShape<2, 2, 3>{});
  offer(ProductShape<3, 2, 3>{});
  offer(ProductShape<3, 3, 3>{});
  offer(ProductShape<3, 3, 6>{});
  offer(ProductShape<6, 3, 6>{});
  offer(ProductShape<6, 6, 6>{});
  if (!found) function(ProductShape<0, 0, 0>{});
}

/// Block rows of C = op(A) B, one at a time.
template <bool transposed, class Shape, class Rows, class Matrix>
struct MultiplyRow {
  using Scalar = typename Matrix::scalar_type;
  using Layout = typename Matrix::layout_type;
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;
  static constexpr int compiled_rows = Shape::rows;

  Rows a;
  const Offset *b_row_ptr, *c_row_ptr;
  const Ordinal *b_col, *c_col;
  const Scalar *a_values, *b_values;
  Scalar* c_values;
  BlockShape b_shape, c_shape;

  KOKKOS_INLINE_FUNCTION int rows() const { return Shape::rows > 0 ? Shape::rows : c_shape.rows; }
  KOKKOS_INLINE_FUNCTION int inner() const { return Shape::rows > 0 ? Shape::inner : b_shape.rows; }
  KOKKOS_INLINE_FUNCTION int cols() const { return Shape::rows > 0 ? Shape::cols : c_shape.cols; }

  /// work(block of A, block of B, block of C) for each pair in block row i.
  template <class Work>
  KOKKOS_INLINE_FUNCTION void for_each_pair(std::int64_t i, const Work& work) const {
    const std::int64_t size_a = rows() * inner(), size_b = inner() * cols(), size_c = rows() * cols();
    const std::int64_t first = c_row_ptr[i], last = c_row_ptr[i + 1];
    const auto column = [this](std::int64_t p) { return c_col[p]; };
    for (std::int64_t e = a.begin(i); e < a.end(i); ++e) {
      const Scalar* const block_a = a_values + a.offset(e) * size_a;
      const std::int64_t j = a.col(e), end = b_row_ptr[j + 1];
      std::int64_t place = first;
      for (std::int64_t k = b_row_ptr[j]; k < end; ++k) {
        if (c_col[place] != b_col[k]) place = first_not_less(column, place, last, std::int64_t(b_col[k]));
        work(block_a, b_values + k * size_b, c_values + place * size_c);
      }
    }
  }

  /// Entry (r, k) of op(block).
  KOKKOS_INLINE_FUNCTION Scalar entry_of_a(const Scalar* block, int r, int k) const {
    if constexpr (transposed) {
      return block[Layout::at(k, r, inner(), rows())];
    } else {
      return block[Layout::at(r, k, rows(), inner())];
    }
  }

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t size = rows() * cols(), begin = c_row_ptr[i], end = c_row_ptr[i + 1];
    for (std::int64_t e = begin * size; e < end * size; ++e) c_values[e] = Scalar(0);
    for_each_pair(i, [this](const Scalar* block_a, const Scalar* block_b, Scalar* block_c) {
      for (int c = 0; c < cols(); ++c) {
        for (int k = 0; k < inner(); ++k) {
          const Scalar factor = block_b[Layout::at(k, c, inner(), cols())];
          for (int r = 0; r < rows(); ++r) {
            block_c[Layout::at(r, c, rows(), cols())] += entry_of_a(block_a, r, k) * factor;
          }
        }
      }
    });
  }
};

/// The values of C = op(A) B, whose structure is there. Enqueued on `exec`; no fence, no allocation.
template <bool transposed, class Exec, class Rows, class Matrix>
void multiply_rows(const Exec& exec, const Rows& rows, const Matrix& a, const Matrix& b, const Matrix& c) {
  const BlockShape of_b = b.block_shape(), of_c = c.block_shape();
  with_product_shape(of_c.rows, of_b.rows, of_c.cols, [&](auto shape) {
    using Row = MultiplyRow<transposed, decltype(shape), Rows, Matrix>;
    const Row row{rows,
                  b.graph().row_ptr().data(),
                  c.graph().row_ptr().data(),
                  b.graph().col_idx().data(),
                  c.graph().col_idx().data(),
                  a.values().data(),
                  b.values().data(),
                  c.values().data(),
                  of_b,
                  of_c};
    if constexpr (is_gpu_v<Exec>) {
      multiply_rows_by_team(exec, row);
    } else {
      Kokkos::parallel_for(
          "ashlar::product[multiply]",
          Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>, Kokkos::Schedule<Kokkos::Dynamic>>(exec, 0,
                                                                                                        rows.num_rows),
          row);
    }
  });
}

}  // namespace ashlar::impl
