#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/bcsr/graph.hpp>
#include <ashlar/bcsr/impl/search.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <cstddef>
#include <cstdint>

namespace ashlar {

/// Where each block row has its diagonal block: the block's offset, or -1 for a row that has none.
///
/// Shapes   num_block_rows entries; rows beyond the last block column of a rectangular graph have no diagonal.
/// Memory   allocates the result in the graph's memory space, which `exec` reaches.
/// Async    enqueued on `exec`.
template <execution_space Exec, class Ordinal, class Offset, class Space>
Kokkos::View<Offset*, Space> diagonal_block_index(const Exec& exec, const BcsrGraph<Ordinal, Offset, Space>& graph) {
  static_assert(Kokkos::SpaceAccessibility<Exec, Space>::accessible,
                "diagonal_block_index: the execution space must reach the graph");
  Kokkos::View<Offset*, Space> index(Kokkos::view_alloc(Kokkos::WithoutInitializing, "ashlar::diagonal_block_index"),
                                     std::size_t(graph.num_block_rows()));
  const auto row_ptr = graph.row_ptr();
  const auto col_idx = graph.col_idx();
  Kokkos::parallel_for(
      "ashlar::diagonal_block_index",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, graph.num_block_rows()),
      KOKKOS_LAMBDA(std::int64_t i) { index(i) = static_cast<Offset>(impl::find_block(row_ptr, col_idx, i, i)); });
  return index;
}

/// diagonal_block_index of the matrix' graph.
template <execution_space Exec, bcsr_matrix Matrix>
auto diagonal_block_index(const Exec& exec, const Matrix& matrix) {
  return diagonal_block_index(exec, matrix.graph());
}

}  // namespace ashlar
