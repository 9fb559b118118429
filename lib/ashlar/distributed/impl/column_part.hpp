#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/algorithms.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/bcsr/build_by_rows.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/bcsr/transpose_index.hpp>
#include <ashlar/distributed/impl/host_lists.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

// Cuts block rows by their columns: local columns of a rank, and remote ones. All on the device.

namespace ashlar::impl {

/// Block columns [begin, end), or all others.
struct ColumnSet {
  std::int64_t begin = 0, end = 0;
  bool all_but = false;

  KOKKOS_INLINE_FUNCTION bool has(std::int64_t column) const { return (column >= begin && column < end) != all_but; }
};

/// New numbers of the columns of a set: counted from `first`. If there is a list, the number beside the listed column,
/// counted from `first`.
template <class Space>
struct ColumnNumbers {
  using List = Kokkos::View<const std::int64_t*, Space>;

  std::int64_t first = 0;
  List listed, number;

  KOKKOS_INLINE_FUNCTION std::int64_t operator()(std::int64_t column) const {
    const auto count = static_cast<std::int64_t>(listed.extent(0));
    return (count == 0 ? column : number(first_not_less(listed, 0, count, column))) - first;
  }
};

/// The values of block k are at position k.
struct SameBlock {
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t k) const { return k; }
};

/// The blocks of a matrix in a set of columns, row by row, for build_by_rows: all rows, or listed ones. Block k has
/// column col_idx(k), and values at position source(k).
template <class Matrix, class Columns = typename Matrix::graph_type::col_idx_view, class Source = SameBlock>
struct BlocksInColumns {
  using Ordinal = typename Matrix::ordinal_type;
  using Space = typename Matrix::memory_space;

  typename Matrix::graph_type::row_ptr_view row_ptr;
  Columns col_idx;
  typename Matrix::values_view values;
  ColumnSet columns;
  ColumnNumbers<Space> numbers;
  Kokkos::View<const Ordinal*, Space> rows;  ///< empty: all rows
  Source source = {};

  KOKKOS_INLINE_FUNCTION std::int64_t row_of(std::int64_t i) const { return rows.extent(0) == 0 ? i : rows(i); }

  /// The number of blocks in row i.
  KOKKOS_INLINE_FUNCTION int operator()(Ordinal i) const {
    const std::int64_t from = row_of(i);
    int count = 0;
    for (std::int64_t k = row_ptr(from); k < std::int64_t(row_ptr(from + 1)); ++k) count += columns.has(col_idx(k));
    return count;
  }

  template <class Row>
  KOKKOS_INLINE_FUNCTION void operator()(Ordinal i, const Row& row) const {
    const std::int64_t from = row_of(i);
    const int R = row.rows_of_block(), C = row.cols_of_block();
    int to = 0;
    for (std::int64_t k = row_ptr(from); k < std::int64_t(row_ptr(from + 1)); ++k) {
      if (!columns.has(col_idx(k))) continue;
      row.column(to) = static_cast<Ordinal>(numbers(col_idx(k)));
      const std::int64_t first = source(k) * R * C;
      for (int c = 0; c < C; ++c) {
        for (int r = 0; r < R; ++r) row.value(to, r, c) = values(first + Matrix::layout_type::at(r, c, R, C));
      }
      ++to;
    }
  }
};

/// A list of entry(i) for all i < size with is_wanted(i), in ascending order of i.
template <class Entry, class Space, class Exec, class Wanted, class Make>
Kokkos::View<Entry*, Space> listed(const Exec& exec, const char* label, std::int64_t size, const Wanted& is_wanted,
                                   const Make& entry) {
  const Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>> all(exec, 0, size);
  std::int64_t count = 0;
  Kokkos::parallel_reduce(
      "ashlar::distributed[count]", all,
      KOKKOS_LAMBDA(std::int64_t i, std::int64_t & sum) { sum += is_wanted(i) ? 1 : 0; }, count);
  exec.fence("ashlar::distributed: length of a list");
  const Kokkos::View<Entry*, Space> list(Kokkos::view_alloc(Kokkos::WithoutInitializing, std::string(label)), count);
  Kokkos::parallel_scan(
      "ashlar::distributed[list]", all, KOKKOS_LAMBDA(std::int64_t i, std::int64_t & place, bool last) {
        if (!is_wanted(i)) return;
        if (last) list(place) = static_cast<Entry>(entry(i));
        ++place;
      });
  return list;
}

/// The rows, of `num_rows`, with any of these blocks.
template <class Exec, class Matrix, class... Which>
Kokkos::View<typename Matrix::ordinal_type*, typename Matrix::memory_space> rows_with(
    const Exec& exec, std::int64_t num_rows, const BlocksInColumns<Matrix, Which...>& blocks) {
  return listed<typename Matrix::ordinal_type, typename Matrix::memory_space>(
      exec, "ashlar::distributed::rows", num_rows,
      KOKKOS_LAMBDA(std::int64_t i) { return blocks(static_cast<typename Matrix::ordinal_type>(i)) > 0; },
      KOKKOS_LAMBDA(std::int64_t i) { return i; });
}

/// The columns of the set among col_idx(0) to col_idx(num_blocks - 1), on the host: ascending, each once.
template <class Space, class Exec, class Columns>
std::vector<std::int64_t> columns_used(const Exec& exec, std::int64_t num_blocks, const Columns& col_idx,
                                       const ColumnSet& columns) {
  const auto used = listed<std::int64_t, Space>(
      exec, "ashlar::distributed::columns", num_blocks,
      KOKKOS_LAMBDA(std::int64_t k) { return columns.has(col_idx(k)); },
      KOKKOS_LAMBDA(std::int64_t k) { return col_idx(k); });
  std::vector<std::int64_t> result = list_of(exec, used);
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

/// A block: its global column, and its position among the given blocks.
struct ColumnAndBlock {
  std::int64_t column, block;
  friend KOKKOS_INLINE_FUNCTION bool operator<(const ColumnAndBlock& a, const ColumnAndBlock& b) {
    return a.column != b.column ? a.column < b.column : a.block < b.block;
  }
};

/// global(local(k)): the global columns of rows with their own numbering.
template <class Global, class Local>
struct ColumnsThrough {
  Global global;
  Local local;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t k) const { return global(local(k)); }
};

/// The columns of blocks, or their positions.
template <class Space, bool is_column>
struct MemberOfBlock {
  Kokkos::View<const ColumnAndBlock*, Space> blocks;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t k) const {
    return is_column ? blocks(k).column : blocks(k).block;
  }
};

/// The first row whose columns do not strictly ascend; num_rows if there is none. Waits for `exec`.
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

/// The begins of rows if row i has the blocks of row row_source(i), or of row i if the list is empty.
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

/// The blocks of all rows, sorted by column within a row; `begins` is the result of row_begins_from(). One thread sorts
/// a row. Enqueued on `exec`.
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
