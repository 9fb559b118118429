#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/bcsr/transpose_index.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

// The blocks of a rank's rows in the order of their global columns, however they are given.

namespace ashlar::impl {

/// A block by its global column, and its place among the blocks that were given.
struct ColumnAndBlock {
  std::int64_t column, block;
  friend KOKKOS_INLINE_FUNCTION bool operator<(const ColumnAndBlock& a, const ColumnAndBlock& b) {
    return a.column != b.column ? a.column < b.column : a.block < b.block;
  }
};

/// global(local(k)): the columns of rows in a numbering of their own.
template <class Global, class Local>
struct ColumnsThrough {
  Global global;
  Local local;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t k) const { return global(local(k)); }
};

template <class Space>
struct OrderedColumns {
  Kokkos::View<const ColumnAndBlock*, Space> blocks;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t k) const { return blocks(k).column; }
};

template <class Space>
struct OrderedSources {
  Kokkos::View<const ColumnAndBlock*, Space> blocks;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t k) const { return blocks(k).block; }
};

/// The first row whose columns do not ascend, each once; num_rows if all do. Waits for `exec`.
template <class Exec, class RowPtr, class Columns>
std::int64_t first_row_out_of_order(const Exec& exec, std::int64_t num_rows, const RowPtr& row_ptr,
                                    const Columns& columns) {
  std::int64_t first = num_rows;
  Kokkos::parallel_reduce(
      "ashlar::distributed[check order]", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, num_rows),
      KOKKOS_LAMBDA(std::int64_t i, std::int64_t & least) {
        for (std::int64_t k = std::int64_t(row_ptr(i)) + 1; k < std::int64_t(row_ptr(i + 1)); ++k) {
          if (columns(k) <= columns(k - 1) && i < least) least = i;
        }
      },
      Kokkos::Min<std::int64_t>(first));
  exec.fence("ashlar::distributed: order of columns");
  return first < num_rows ? first : num_rows;
}

/// Row i gets the blocks of row row_source(i), or of row i if the list is empty: where each row begins.
template <class Exec, class RowPtr, class RowSource>
RowPtr row_begins_from(const Exec& exec, std::int64_t num_rows, const RowPtr& row_ptr, const RowSource& row_source) {
  using Offset = typename RowPtr::non_const_value_type;
  if (row_source.extent(0) == 0) return row_ptr;
  const Kokkos::View<Offset*, typename RowPtr::memory_space> begins(
      Kokkos::view_alloc(Kokkos::WithoutInitializing, "ashlar::row_ptr"), std::size_t(num_rows) + 1);
  Kokkos::parallel_scan(
      "ashlar::distributed[row_begins]",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, num_rows + 1),
      KOKKOS_LAMBDA(std::int64_t i, Offset & begin, bool is_final) {
        if (is_final) begins(i) = begin;
        if (i < num_rows) begin += row_ptr(row_source(i) + 1) - row_ptr(row_source(i));
      });
  return begins;
}

/// The blocks of all rows, sorted by column within a row; `begins` as row_begins_from() makes it. A row is sorted by
/// one thread. Enqueued on `exec`.
template <class Space, class Exec, class RowPtr, class Columns, class RowSource>
Kokkos::View<ColumnAndBlock*, Space> ordered_blocks(const Exec& exec, std::int64_t num_rows, std::int64_t num_blocks,
                                                    const RowPtr& row_ptr, const Columns& columns, const RowPtr& begins,
                                                    const RowSource& row_source) {
  const Kokkos::View<ColumnAndBlock*, Space> blocks(
      Kokkos::view_alloc(Kokkos::WithoutInitializing, "ashlar::distributed::ordered_blocks"), std::size_t(num_blocks));
  const bool is_permuted = row_source.extent(0) > 0;
  Kokkos::parallel_for(
      "ashlar::distributed[sort columns]",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, num_rows), KOKKOS_LAMBDA(std::int64_t i) {
        const std::int64_t from = row_ptr(is_permuted ? std::int64_t(row_source(i)) : i);
        const std::int64_t begin = begins(i), end = begins(i + 1);
        for (std::int64_t k = 0; k < end - begin; ++k) blocks(begin + k) = {columns(from + k), from + k};
        sort_range(blocks, begin, end);
      });
  return blocks;
}

}  // namespace ashlar::impl
