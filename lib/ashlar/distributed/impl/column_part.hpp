#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/algorithms.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/bcsr/build_by_rows.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

// Cuts block rows by their columns: which of them are a rank's own, and which are others'. All on the device.

namespace ashlar::impl {

/// Block columns begin to end, or all but these.
struct ColumnSet {
  std::int64_t begin = 0, end = 0;
  bool all_but = false;

  KOKKOS_INLINE_FUNCTION bool has(std::int64_t column) const { return (column >= begin && column < end) != all_but; }
};

/// New numbers of the columns of a set: counted from `first`, or for those of a list what stands beside them, counted
/// from there.
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

/// Where the values of the k-th block are: at the k-th place.
struct SameBlock {
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t k) const { return k; }
};

/// The blocks of a matrix in some columns, row by row, as build_by_rows asks for them: all rows, or those of a list.
/// The k-th block has column col_idx(k), and values at place source(k).
template <class Matrix, class Columns = typename Matrix::graph_type::col_idx_view, class Source = SameBlock>
struct BlocksInColumns {
  using Ordinal = typename Matrix::ordinal_type;
  using Space = typename Matrix::memory_space;

  typename Matrix::graph_type::row_ptr_view row_ptr;
  Columns col_idx;
  typename Matrix::values_view values;
  ColumnSet columns;
  ColumnNumbers<Space> numbers;
  Kokkos::View<const Ordinal*, Space> rows;  ///< none: all of them
  Source source = {};

  KOKKOS_INLINE_FUNCTION std::int64_t row_of(std::int64_t i) const { return rows.extent(0) == 0 ? i : rows(i); }

  /// The count of row i.
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

/// Makes a list of the numbers below `size` that `is_wanted` of what `entry` makes of them, ascending.
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

/// Of `num_rows` rows those that have any of these blocks.
template <class Exec, class Matrix, class... Which>
Kokkos::View<typename Matrix::ordinal_type*, typename Matrix::memory_space> rows_with(
    const Exec& exec, std::int64_t num_rows, const BlocksInColumns<Matrix, Which...>& blocks) {
  return listed<typename Matrix::ordinal_type, typename Matrix::memory_space>(
      exec, "ashlar::distributed::rows", num_rows,
      KOKKOS_LAMBDA(std::int64_t i) { return blocks(static_cast<typename Matrix::ordinal_type>(i)) > 0; },
      KOKKOS_LAMBDA(std::int64_t i) { return i; });
}

/// The block rows that have blocks in the columns of the set.
template <class Exec, class Matrix>
Kokkos::View<typename Matrix::ordinal_type*, typename Matrix::memory_space> rows_with(const Exec& exec,
                                                                                      const Matrix& matrix,
                                                                                      const ColumnSet& columns) {
  return rows_with(exec, matrix.num_block_rows(),
                   BlocksInColumns<Matrix>{matrix.graph().row_ptr(), matrix.graph().col_idx(), {}, columns, {}, {}});
}

/// The columns of the set among col_idx(0) to col_idx(num_blocks - 1), on the host: ascending, each once.
template <class Space, class Exec, class Columns>
std::vector<std::int64_t> columns_used(const Exec& exec, std::int64_t num_blocks, const Columns& col_idx,
                                       const ColumnSet& columns) {
  const auto used = listed<std::int64_t, Space>(
      exec, "ashlar::distributed::columns", num_blocks,
      KOKKOS_LAMBDA(std::int64_t k) { return columns.has(col_idx(k)); },
      KOKKOS_LAMBDA(std::int64_t k) { return col_idx(k); });
  std::vector<std::int64_t> result(used.extent(0));
  Kokkos::deep_copy(exec, Kokkos::View<std::int64_t*, Kokkos::HostSpace>(result.data(), result.size()), used);
  exec.fence("ashlar::distributed: columns of others");
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

/// The same of a matrix.
template <class Exec, class Matrix>
std::vector<std::int64_t> columns_used(const Exec& exec, const Matrix& matrix, const ColumnSet& columns) {
  return columns_used<typename Matrix::memory_space>(exec, matrix.num_blocks(), matrix.graph().col_idx(), columns);
}

}  // namespace ashlar::impl
