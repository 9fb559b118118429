#pragma once

#include <Kokkos_Core.hpp>
#include <array>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/impl/multiply_rows.hpp>
#include <ashlar/bcsr/impl/product_structure.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/bcsr/transpose_index.hpp>
#include <cstdint>
#include <utility>

namespace ashlar {

/// The product C = A B or C = A^T B of two block matrices: its structure is computed once, its values for each pair of
/// matrices with the structures of the first.
///
/// Shapes   blocks of op(A) are R x K, blocks of B are K x C, and blocks of the product are R x C; op(A) has as many
///          block columns as B has block rows.
/// Memory   the structure of C and, for A^T, the transpose index of A. Matrices with new values have the structures of
///          the first: their sizes are checked. C must not share its values with A or B.
/// Async    the constructor waits for `exec`; the columns of C are enqueued.
/// Result   the same bits for any number of threads.
/// Throws   ShapeError for matrices that do not fit; ShapeError if C has more blocks than its offsets count.
/// Source   Gustavson 1978: row by row, first the structure, then the values.
template <bcsr_matrix Matrix>
class MatrixProduct {
 public:
  using graph_type = typename Matrix::graph_type;

  /// Of A B, by the structures of A and B.
  template <execution_space Exec>
  MatrixProduct(const Exec& exec, const graph_type& a, const graph_type& b) : MatrixProduct(exec, a, b, false) {}

  /// Of A^T B.
  template <execution_space Exec>
  static MatrixProduct of_transpose(const Exec& exec, const graph_type& a, const graph_type& b) {
    return MatrixProduct(exec, a, b, true);
  }

  const graph_type& graph() const { return graph_; }

  /// C in a matrix of its own.
  ///
  /// Async    the values are enqueued on `exec`, their allocation is not.
  template <execution_space Exec>
  Matrix multiply(const Exec& exec, const Matrix& a, const Matrix& b) const {
    check(a, b);
    const BlockShape shape(shape_of_factor(a).rows, b.block_shape().cols);
    const typename Matrix::values_view values(Kokkos::view_alloc(Kokkos::WithoutInitializing, "ashlar::values"),
                                              std::size_t(graph_.num_blocks()) * shape.num_values());
    const Matrix c(shape, graph_, values);
    multiply(exec, a, b, c);
    return c;
  }

  /// C into a matrix with graph().
  ///
  /// Async    enqueued on `exec`; no fence, no allocation.
  template <execution_space Exec>
  void multiply(const Exec& exec, const Matrix& a, const Matrix& b, const Matrix& c) const {
    check(a, b);
    if (c.graph().row_ptr().data() != graph_.row_ptr().data() ||
        c.block_shape() != BlockShape(shape_of_factor(a).rows, b.block_shape().cols)) {
      throw ShapeError("MatrixProduct: C is another matrix than the product's",
                       "its values go to the structure that was computed", "pass what multiply(exec, a, b) returned");
    }
    if (is_transposed_) {
      impl::multiply_rows<true>(exec, impl::columns_of_graph(a.graph(), index_), a, b, c);
    } else {
      impl::multiply_rows<false>(exec, impl::rows_of_graph(a.graph()), a, b, c);
    }
  }

 private:
  template <class Exec>
  MatrixProduct(const Exec& exec, const graph_type& a, const graph_type& b, bool is_transposed)
      : is_transposed_(is_transposed), a_(sizes_of(a)), b_(sizes_of(b)) {
    const std::int64_t inner = is_transposed ? a.num_block_rows() : a.num_block_cols();
    if (inner != std::int64_t(b.num_block_rows())) {
      throw ShapeError(text("MatrixProduct: ", is_transposed ? "A^T" : "A", " has ", inner, " block columns and B has ",
                            b.num_block_rows(), " block rows"),
                       "each block of op(A) is multiplied by blocks of one block row of B", "pass matrices that fit");
    }
    if (is_transposed) {
      index_ = transpose_index(exec, a);
      graph_ = impl::product_graph(exec, impl::columns_of_graph(a, index_), b);
    } else {
      graph_ = impl::product_graph(exec, impl::rows_of_graph(a), b);
    }
  }

  /// Block rows, block columns, blocks.
  static std::array<std::int64_t, 3> sizes_of(const graph_type& graph) {
    return {std::int64_t(graph.num_block_rows()), std::int64_t(graph.num_block_cols()),
            std::int64_t(graph.num_blocks())};
  }

  BlockShape shape_of_factor(const Matrix& a) const {
    return is_transposed_ ? a.block_shape().transposed() : a.block_shape();
  }

  void check(const Matrix& a, const Matrix& b) const {
    if (shape_of_factor(a).cols != b.block_shape().rows) {
      throw ShapeError(text("MatrixProduct: blocks of ", to_string(shape_of_factor(a)), " times blocks of ",
                            to_string(b.block_shape())),
                       "the first have as many columns as the second have rows", "pass matrices that fit");
    }
    if (sizes_of(a.graph()) != a_ || sizes_of(b.graph()) != b_) {
      throw ShapeError(text("MatrixProduct: matrices of ", a.num_blocks(), " and ", b.num_blocks(), " blocks"),
                       text("the product was made for ", a_[2], " and ", b_[2], ", or for other block rows or columns"),
                       "make a product for these structures");
    }
  }

  bool is_transposed_;
  std::array<std::int64_t, 3> a_, b_;
  TransposeIndex<typename Matrix::ordinal_type, typename Matrix::offset_type, typename Matrix::memory_space> index_;
  graph_type graph_;
};

}  // namespace ashlar
