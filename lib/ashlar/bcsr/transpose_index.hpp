#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/bcsr/graph.hpp>
#include <cstddef>
#include <cstdint>

namespace ashlar {

/// The blocks of a graph listed by block column: what y = A^T x needs to gather each part of y, without atomics.
///
/// Shapes   row_ptr has num_block_cols + 1 entries. Block column j's blocks are the entries row_ptr(j) ..
///          row_ptr(j+1) - 1: entry e is the block at block_offset(e) in block row block_row(e), ascending in both.
/// Memory   all in Space; no values are copied.
template <class Ordinal = std::int32_t, class Offset = std::int32_t,
          memory_space Space = Kokkos::DefaultExecutionSpace::memory_space>
struct TransposeIndex {
  Kokkos::View<const Offset*, Space> row_ptr;
  Kokkos::View<const Ordinal*, Space> block_row;
  Kokkos::View<const Offset*, Space> block_offset;
};

namespace impl {

/// Sorts entry(begin) .. entry(end - 1) ascending, in place and without recursion (heap sort).
template <class Entries>
KOKKOS_INLINE_FUNCTION void sort_range(const Entries& entry, std::int64_t begin, std::int64_t end) {
  bool sorted = true;
  for (std::int64_t e = begin + 1; sorted && e < end; ++e) sorted = entry(e - 1) < entry(e);
  if (sorted) return;

  std::int64_t heap_size = end - begin;
  for (std::int64_t root = heap_size / 2; heap_size > 1;) {
    if (root > 0) {
      --root;  // still making the heap
    } else {
      --heap_size;  // its largest entry goes behind it
      const auto largest = entry(begin);
      entry(begin) = entry(begin + heap_size);
      entry(begin + heap_size) = largest;
    }
    const auto sinking = entry(begin + root);
    std::int64_t hole = root;
    for (std::int64_t child = 2 * hole + 1; child < heap_size; child = 2 * hole + 1) {
      if (child + 1 < heap_size && entry(begin + child) < entry(begin + child + 1)) ++child;
      if (!(sinking < entry(begin + child))) break;
      entry(begin + hole) = entry(begin + child);
      hole = child;
    }
    entry(begin + hole) = sinking;
  }
}

/// The blocks of a graph between the first of its first row and the last of its last, as far as their columns are some.
template <class Graph>
struct BlocksOfColumns {
  typename Graph::row_ptr_view row_ptr;
  typename Graph::col_idx_view col_idx;
  std::int64_t num_block_rows, first_col, num_cols;

  /// The list that block k goes to; negative for none.
  KOKKOS_INLINE_FUNCTION std::int64_t list_of(std::int64_t k) const {
    const bool is_of_rows =
        num_block_rows > 0 && k >= std::int64_t(row_ptr(0)) && k < std::int64_t(row_ptr(num_block_rows));
    const std::int64_t list = is_of_rows ? std::int64_t(col_idx(k)) - first_col : -1;
    return list < num_cols ? list : -1;
  }
};

}  // namespace impl

/// The blocks of `graph` in the num_cols block columns from first_col on, listed by block column, always in the same
/// order. The first list belongs to first_col.
///
/// Blocks are inserted into their columns in parallel, in any order. Offsets ascend with the rows, so sorting each
/// column's offsets restores the one order. One thread sorts a column: a column of very many blocks is slow on a GPU.
/// The first row pointer need not be 0, nor the last one the number of blocks, as in a slice of a matrix's rows.
///
/// Memory   allocates the index in the graph's memory space, which `exec` reaches, and one offset a column of scratch.
/// Async    enqueued on `exec`; but Kokkos waits for the device before it frees the scratch.
template <execution_space Exec, class Ordinal, class Offset, class Space>
TransposeIndex<Ordinal, Offset, Space> transpose_index(const Exec& exec, const BcsrGraph<Ordinal, Offset, Space>& graph,
                                                       std::int64_t first_col, std::int64_t num_cols) {
  static_assert(Kokkos::SpaceAccessibility<Exec, Space>::accessible,
                "transpose_index: the execution space must reach the graph");
  using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
  using Kokkos::view_alloc;
  using Kokkos::WithoutInitializing;
  const std::int64_t num_block_rows = graph.num_block_rows(), num_blocks = graph.num_blocks();
  const auto graph_row_ptr = graph.row_ptr();
  const impl::BlocksOfColumns<BcsrGraph<Ordinal, Offset, Space>> blocks{graph_row_ptr, graph.col_idx(), num_block_rows,
                                                                        first_col, num_cols};
  Kokkos::View<Offset*, Space> row_ptr(view_alloc(WithoutInitializing, "ashlar::transpose_index.row_ptr"),
                                       std::size_t(num_cols) + 1);
  Kokkos::View<Ordinal*, Space> block_row(view_alloc(WithoutInitializing, "ashlar::transpose_index.block_row"),
                                          std::size_t(num_blocks));
  Kokkos::View<Offset*, Space> block_offset(view_alloc(WithoutInitializing, "ashlar::transpose_index.block_offset"),
                                            std::size_t(num_blocks));
  // First the number of blocks of each column, then the place of its next one.
  Kokkos::View<Offset*, Space> next(view_alloc(exec, "ashlar::transpose_index.next"), std::size_t(num_cols));

  Kokkos::parallel_for(
      "ashlar::transpose_index[count]", Policy(exec, 0, num_blocks), KOKKOS_LAMBDA(std::int64_t k) {
        if (const std::int64_t list = blocks.list_of(k); list >= 0) Kokkos::atomic_inc(&next(list));
      });
  Kokkos::parallel_scan(
      "ashlar::transpose_index[scan]", Policy(exec, 0, num_cols + 1),
      KOKKOS_LAMBDA(std::int64_t j, Offset & sum, bool last) {
        const Offset count = j < num_cols ? next(j) : Offset(0);
        if (last) {
          row_ptr(j) = sum;
          if (j < num_cols) next(j) = sum;
        }
        sum += count;
      });
  Kokkos::parallel_for(
      "ashlar::transpose_index[fill]", Policy(exec, 0, num_blocks), KOKKOS_LAMBDA(std::int64_t k) {
        const std::int64_t list = blocks.list_of(k);
        if (list >= 0) block_offset(Kokkos::atomic_fetch_add(&next(list), Offset(1))) = static_cast<Offset>(k);
      });
  Kokkos::parallel_for(
      "ashlar::transpose_index[sort]", Policy(exec, 0, num_cols),
      KOKKOS_LAMBDA(std::int64_t j) { impl::sort_range(block_offset, row_ptr(j), row_ptr(j + 1)); });
  Kokkos::parallel_for(
      "ashlar::transpose_index[rows]", Policy(exec, 0, num_blocks), KOKKOS_LAMBDA(std::int64_t e) {
        if (e >= std::int64_t(row_ptr(num_cols))) return;
        block_row(e) = static_cast<Ordinal>(impl::row_of_block(graph_row_ptr, num_block_rows, block_offset(e)));
      });
  return {row_ptr, block_row, block_offset};
}

/// The same of all block columns.
template <execution_space Exec, class Ordinal, class Offset, class Space>
TransposeIndex<Ordinal, Offset, Space> transpose_index(const Exec& exec,
                                                       const BcsrGraph<Ordinal, Offset, Space>& graph) {
  return transpose_index(exec, graph, 0, graph.num_block_cols());
}

}  // namespace ashlar
