#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/bcsr/build_by_rows.hpp>
#include <ashlar/bcsr/graph.hpp>
#include <ashlar/bcsr/impl/search.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ashlar {

/// Where each block row has its diagonal block: the block's offset, or -1 for a row that has none; signed, where
/// offsets are not.
///
/// Shapes   num_block_rows entries; rows beyond the last block column of a rectangular graph have no diagonal.
/// Memory   allocates the result in the graph's memory space, which `exec` reaches.
/// Async    enqueued on `exec`.
template <execution_space Exec, class Ordinal, class Offset, class Space>
Kokkos::View<std::make_signed_t<Offset>*, Space> diagonal_block_index(const Exec& exec,
                                                                      const BcsrGraph<Ordinal, Offset, Space>& graph) {
  using Index = std::make_signed_t<Offset>;
  static_assert(Kokkos::SpaceAccessibility<Exec, Space>::accessible,
                "diagonal_block_index: the execution space must reach the graph");
  Kokkos::View<Index*, Space> index(Kokkos::view_alloc(Kokkos::WithoutInitializing, "ashlar::diagonal_block_index"),
                                    std::size_t(graph.num_block_rows()));
  const auto row_ptr = graph.row_ptr();
  const auto col_idx = graph.col_idx();
  Kokkos::parallel_for(
      "ashlar::diagonal_block_index",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, graph.num_block_rows()),
      KOKKOS_LAMBDA(std::int64_t i) { index(i) = static_cast<Index>(impl::find_block(row_ptr, col_idx, i, i)); });
  return index;
}

/// diagonal_block_index of the matrix' graph.
template <execution_space Exec, bcsr_matrix Matrix>
auto diagonal_block_index(const Exec& exec, const Matrix& matrix) {
  return diagonal_block_index(exec, matrix.graph());
}

namespace impl {

/// Counts, and fills in, the diagonal block of a block row.
template <class Matrix>
struct DiagonalBlock {
  typename Matrix::graph_type::row_ptr_view row_ptr;
  typename Matrix::graph_type::col_idx_view col_idx;
  typename Matrix::values_view values;

  KOKKOS_INLINE_FUNCTION std::int64_t find(std::int64_t i) const { return find_block(row_ptr, col_idx, i, i); }
  KOKKOS_FUNCTION int operator()(std::int64_t i) const { return find(i) >= 0; }

  template <class Row>
  KOKKOS_FUNCTION void operator()(std::int64_t i, const Row& row) const {
    if (row.num_blocks() == 0) return;
    const std::int64_t block = find(i);
    const int R = row.rows_of_block(), C = row.cols_of_block();
    row.column(0) = static_cast<typename Matrix::ordinal_type>(i);
    for (int c = 0; c < C; ++c) {
      for (int r = 0; r < R; ++r) {
        row.value(0, r, c) = values(block * R * C + Matrix::layout_type::at(r, c, R, C));
      }
    }
  }
};

}  // namespace impl

/// The matrix of the diagonal blocks alone; a block row that has none is empty.
///
/// Memory   allocates the result where the matrix is, which `exec` reaches.
/// Async    waits for `exec` once; the fill is enqueued.
template <execution_space Exec, bcsr_matrix Matrix>
Matrix diagonal_blocks(const Exec& exec, const Matrix& matrix) {
  const impl::DiagonalBlock<Matrix> diagonal{matrix.graph().row_ptr(), matrix.graph().col_idx(), matrix.values()};
  return build_by_rows<Matrix>(exec, matrix.block_shape(), matrix.num_block_rows(), matrix.num_block_cols(), diagonal,
                               diagonal);
}

}  // namespace ashlar
