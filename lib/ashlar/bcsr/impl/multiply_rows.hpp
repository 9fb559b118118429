#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/algorithms.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/bcsr/block.hpp>
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

/// A block of op(A). If its shape is known, it is in registers.
template <bool transposed, class Matrix, class Shape>
class FactorBlock {
 public:
  using Scalar = typename Matrix::scalar_type;

  KOKKOS_INLINE_FUNCTION FactorBlock(const Scalar* block, int /*rows*/, int /*inner*/) {
    for (int k = 0; k < Shape::inner; ++k) {
      for (int r = 0; r < Shape::rows; ++r) values_[k * Shape::rows + r] = block[place(r, k)];
    }
  }
  KOKKOS_INLINE_FUNCTION Scalar operator()(int r, int k) const { return values_[k * Shape::rows + r]; }

 private:
  static KOKKOS_INLINE_FUNCTION int place(int r, int k) {
    return static_cast<int>(transposed ? Matrix::layout_type::at(k, r, Shape::inner, Shape::rows)
                                       : Matrix::layout_type::at(r, k, Shape::rows, Shape::inner));
  }

  Scalar values_[Shape::rows * Shape::inner];
};

template <bool transposed, class Matrix>
class FactorBlock<transposed, Matrix, ProductShape<0, 0, 0>> {
 public:
  using Scalar = typename Matrix::scalar_type;

  KOKKOS_INLINE_FUNCTION FactorBlock(const Scalar* block, int rows, int inner)
      : block_(block), rows_(rows), inner_(inner) {}
  KOKKOS_INLINE_FUNCTION Scalar operator()(int r, int k) const {
    return transposed ? block_[Matrix::layout_type::at(k, r, inner_, rows_)]
                      : block_[Matrix::layout_type::at(r, k, rows_, inner_)];
  }

 private:
  const Scalar* block_;
  int rows_, inner_;
};

/// Columns of the blocks of one block row of C = op(A) B.
template <bool transposed, class Shape, class Rows, class Matrix>
struct MultiplyRow {
  using Scalar = typename Matrix::scalar_type;
  using Layout = typename Matrix::layout_type;
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;

  Rows a;
  const Offset *b_row_ptr, *c_row_ptr;
  const Ordinal *b_col, *c_col;
  const Scalar *a_values, *b_values;
  Scalar* c_values;
  BlockShape b_shape, c_shape;

  KOKKOS_INLINE_FUNCTION int rows() const { return Shape::rows > 0 ? Shape::rows : c_shape.rows; }
  KOKKOS_INLINE_FUNCTION int inner() const { return Shape::rows > 0 ? Shape::inner : b_shape.rows; }
  KOKKOS_INLINE_FUNCTION int cols() const { return Shape::rows > 0 ? Shape::cols : c_shape.cols; }

  /// The columns from `first_col` to before `last_col` of all blocks of block row i.
  KOKKOS_INLINE_FUNCTION void multiply(std::int64_t i, int first_col, int last_col) const {
    const std::int64_t size_a = rows() * inner(), size_b = inner() * cols(), size_c = rows() * cols();
    const std::int64_t first = c_row_ptr[i], last = c_row_ptr[i + 1];
    for (std::int64_t place = first; place < last; ++place) {
      for (int c = first_col; c < last_col; ++c) {
        for (int r = 0; r < rows(); ++r) c_values[place * size_c + Layout::at(r, c, rows(), cols())] = Scalar(0);
      }
    }
    const auto column = [this](std::int64_t p) { return c_col[p]; };
    for (std::int64_t e = a.begin(i); e < a.end(i); ++e) {
      const FactorBlock<transposed, Matrix, Shape> block_a(a_values + a.offset(e) * size_a, rows(), inner());
      const std::int64_t j = a.col(e), end = b_row_ptr[j + 1];
      std::int64_t place = first;
      for (std::int64_t k = b_row_ptr[j]; k < end; ++k) {
        if (c_col[place] != b_col[k]) place = first_not_less(column, place, last, std::int64_t(b_col[k]));
        add_product(block_a, b_values + k * size_b, first_col, last_col, c_values + place * size_c);
      }
    }
  }

  /// Columns of block_c += block_a block_b.
  KOKKOS_INLINE_FUNCTION void add_product(const FactorBlock<transposed, Matrix, Shape>& block_a,
                                          const Scalar* KOKKOS_RESTRICT block_b, int first_col, int last_col,
                                          Scalar* KOKKOS_RESTRICT block_c) const {
    for (int c = first_col; c < last_col; ++c) {
      for (int k = 0; k < inner(); ++k) {
        const Scalar factor = block_b[Layout::at(k, c, inner(), cols())];
        for (int r = 0; r < rows(); ++r) block_c[Layout::at(r, c, rows(), cols())] += block_a(r, k) * factor;
      }
    }
  }
};

/// On a GPU neighbouring threads take the columns of the blocks of a row; on a host a thread takes the whole row.
template <class Row, bool by_column>
struct MultiplyRows {
  Row row;

  KOKKOS_FUNCTION void operator()(std::int64_t which) const {
    if constexpr (by_column) {
      const int c = static_cast<int>(which % row.cols());
      row.multiply(which / row.cols(), c, c + 1);
    } else {
      row.multiply(which, 0, row.cols());
    }
  }
};

/// The values of C = op(A) B, whose structure is there. Enqueued on `exec`; no fence, no allocation.
template <bool transposed, class Exec, class Rows, class Matrix>
void multiply_rows(const Exec& exec, const Rows& rows, const Matrix& a, const Matrix& b, const Matrix& c) {
  const BlockShape of_b = b.block_shape(), of_c = c.block_shape();
  with_product_shape(of_c.rows, of_b.rows, of_c.cols, [&](auto shape) {
    using Row = MultiplyRow<transposed, decltype(shape), Rows, Matrix>;
    constexpr bool by_column = is_gpu_v<Exec>;
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
    Kokkos::parallel_for("ashlar::product[multiply]",
                         Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>, Kokkos::Schedule<Kokkos::Dynamic>>(
                             exec, 0, rows.num_rows * (by_column ? of_c.cols : 1)),
                         MultiplyRows<Row, by_column>{row});
  });
}

}  // namespace ashlar::impl
