#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/copy.hpp>
#include <ashlar/bcsr/graph.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <cstdint>
#include <limits>

namespace ashlar {

struct ValidateOptions {
  /// Look at the values too: none may be infinite or NaN.
  bool finite_values = false;
};

namespace impl {

inline constexpr std::int64_t no_fault = std::numeric_limits<std::int64_t>::max();

/// The first block row whose row pointer lies after the next one.
template <execution_space Exec, class Graph>
std::int64_t first_decreasing_row(const Exec& exec, const Graph& graph) {
  const auto row_ptr = graph.row_ptr();
  std::int64_t first = no_fault;
  Kokkos::parallel_reduce(
      "ashlar::validate[row_ptr]",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, graph.num_block_rows()),
      KOKKOS_LAMBDA(std::int64_t i, std::int64_t & lowest) {
        if (row_ptr(i + 1) < row_ptr(i) && i < lowest) lowest = i;
      },
      Kokkos::Min<std::int64_t>(first));
  return first;
}

/// The first block whose column is out of range, or not greater than the column of the block before it in its row.
///
/// Parallel over blocks, so that a huge row takes no longer than many small ones; only where columns do not ascend is
/// it looked up whether a row starts there.
template <execution_space Exec, class Graph>
std::int64_t first_misplaced_block(const Exec& exec, const Graph& graph) {
  const auto row_ptr = graph.row_ptr();
  const auto col_idx = graph.col_idx();
  const std::int64_t num_block_rows = graph.num_block_rows(), num_block_cols = graph.num_block_cols();
  std::int64_t first = no_fault;
  Kokkos::parallel_reduce(
      "ashlar::validate[col_idx]",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, graph.num_blocks()),
      KOKKOS_LAMBDA(std::int64_t k, std::int64_t & lowest) {
        if (k >= lowest) return;
        if (col_idx(k) < 0 || col_idx(k) >= num_block_cols) {
          lowest = k;
        } else if (k > 0 && col_idx(k) <= col_idx(k - 1)) {
          const std::int64_t row = row_of_block(row_ptr, num_block_rows, k);
          if (std::int64_t(row_ptr(row)) < k) lowest = k;
        }
      },
      Kokkos::Min<std::int64_t>(first));
  return first;
}

/// The first place in `values` that holds an infinity or a NaN.
template <execution_space Exec, class Values>
std::int64_t first_not_finite(const Exec& exec, const Values& values) {
  std::int64_t first = no_fault;
  Kokkos::parallel_reduce(
      "ashlar::validate[values]",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, std::int64_t(values.extent(0))),
      KOKKOS_LAMBDA(std::int64_t v, std::int64_t & lowest) {
        if (v < lowest && !is_finite(values(v))) lowest = v;
      },
      Kokkos::Min<std::int64_t>(first));
  return first;
}

/// Throws for the row pointers; `graph` lies on the host.
template <class HostGraph>
void check_row_ptr_ends(const HostGraph& graph, std::int64_t first, std::int64_t last) {
  if (first != 0) {
    throw StructureError(text("validate: row_ptr(0) is ", first), "block row 0 starts at block 0",
                         "subtract it from all row pointers if they count from 1");
  }
  if (last != std::int64_t(graph.num_blocks())) {
    throw StructureError(text("validate: row_ptr(", graph.num_block_rows(), ") is ", last),
                         text("there are ", graph.num_blocks(), " blocks"),
                         "let the last row pointer be the number of blocks");
  }
}

}  // namespace impl

/// Checks that the graph is one: row pointers that rise from 0 to the number of blocks, columns in range that ascend
/// without repeats in each row.
///
/// Names the fault of the lowest block row: among the row pointers first, as columns mean nothing while those are
/// wrong.
///
/// Memory   the graph reachable from `exec`; copied to the host only to describe a fault.
/// Async    waits for `exec`.
/// Throws   StructureError with the block row and the numbers at fault.
template <execution_space Exec, class Ordinal, class Offset, class Space>
void validate(const Exec& exec, const BcsrGraph<Ordinal, Offset, Space>& graph) {
  static_assert(Kokkos::SpaceAccessibility<Exec, Space>::accessible,
                "validate: the execution space must reach the graph");
  if (graph.row_ptr().extent(0) == 0) return;  // a default-constructed graph
  const std::int64_t num_block_rows = graph.num_block_rows();

  Offset first = 0, last = 0;
  Kokkos::deep_copy(exec, first, Kokkos::subview(graph.row_ptr(), 0));
  Kokkos::deep_copy(exec, last, Kokkos::subview(graph.row_ptr(), num_block_rows));
  exec.fence("ashlar::validate: ends of row_ptr");
  if (first != 0) impl::check_row_ptr_ends(graph, first, last);
  if (const std::int64_t row = impl::first_decreasing_row(exec, graph); row != impl::no_fault) {
    Offset begin = 0, end = 0;
    Kokkos::deep_copy(exec, begin, Kokkos::subview(graph.row_ptr(), row));
    Kokkos::deep_copy(exec, end, Kokkos::subview(graph.row_ptr(), row + 1));
    exec.fence("ashlar::validate: row pointers at fault");
    throw StructureError(text("validate: row_ptr(", row + 1, ") is ", end),
                         text("block row ", row, " starts at ", begin, ", and row pointers do not decrease"),
                         "check how the row pointers are summed");
  }
  impl::check_row_ptr_ends(graph, first, last);

  const std::int64_t block = impl::first_misplaced_block(exec, graph);
  if (block == impl::no_fault) return;
  const auto on_host = copy_to<Kokkos::HostSpace>(exec, graph);
  exec.fence("ashlar::validate: graph at fault");
  const std::int64_t row = impl::row_of_block(on_host.row_ptr(), num_block_rows, block);
  const std::int64_t column = on_host.col_idx()(block);
  if (column < 0 || column >= graph.num_block_cols()) {
    throw StructureError(text("validate: block column ", column, " in block row ", row),
                         text("block columns go from 0 to ", graph.num_block_cols() - 1),
                         "check the indices and whether they count from 1");
  }
  const std::int64_t before = on_host.col_idx()(block - 1);
  if (column == before) {
    throw StructureError(text("validate: block column ", column, " twice in block row ", row), "a block is stored once",
                         "sum blocks of one place: bcsr_from_block_coo does");
  }
  throw StructureError(text("validate: block column ", column, " after block column ", before, " in block row ", row),
                       "the columns of a row ascend", "sort each row's blocks: bcsr_from_block_coo does");
}

/// Checks the matrix' graph as above, and with finite_values that no value is infinite or NaN.
///
/// Throws   StructureError; NumericalError with the first such value, its block row, block column and entry.
template <execution_space Exec, bcsr_matrix Matrix>
void validate(const Exec& exec, const Matrix& matrix, ValidateOptions options = {}) {
  validate(exec, matrix.graph());
  if (!options.finite_values) return;
  const std::int64_t place = impl::first_not_finite(exec, matrix.values());
  if (place == impl::no_fault) return;

  typename Matrix::scalar_type value;
  Kokkos::deep_copy(exec, value, Kokkos::subview(matrix.values(), place));
  const auto graph = copy_to<Kokkos::HostSpace>(exec, matrix.graph());
  exec.fence("ashlar::validate: value at fault");
  const auto [rows, cols] = matrix.block_shape();
  const std::int64_t block = place / matrix.block_shape().num_values();
  int r = 0, c = 0;
  while (Matrix::layout_type::at(r, c, rows, cols) != place - block * matrix.block_shape().num_values()) {
    if (++c == cols) ++r, c = 0;
  }
  throw NumericalError(text("validate: value ", value, " at entry (", r, ", ", c, ") of the block at block row ",
                            impl::row_of_block(graph.row_ptr(), graph.num_block_rows(), block), ", block column ",
                            graph.col_idx()(block)),
                       "values must be finite", "check the assembly of that block");
}

}  // namespace ashlar
