#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/bcsr/build_by_rows.hpp>
#include <ashlar/bcsr/copy.hpp>
#include <ashlar/distributed/impl/column_part.hpp>
#include <type_traits>

// A rank's rows, on the device or in the host's memory, cut by their columns where they are.

namespace ashlar::impl {

/// An instance that reaches a rank's rows: `exec` where they are in its memory, else one of the host's.
template <class Rows, class Exec>
auto instance_at(const Exec& exec) {
  if constexpr (std::is_same_v<typename Rows::memory_space, typename Exec::memory_space>) {
    return exec;
  } else {
    return Kokkos::DefaultHostExecutionSpace();
  }
}

/// The blocks in columns begin to end, which are counted from there; or, of all but these, as they were. Waits.
template <class Rows, class Exec>
Rows cut_columns(const Exec& exec, const Rows& rows, const ColumnSet& columns) {
  using Ordinal = typename Rows::ordinal_type;
  const auto where = instance_at<Rows>(exec);
  const BlocksInColumns<Rows> blocks{rows.graph().row_ptr(),
                                     rows.graph().col_idx(),
                                     rows.values(),
                                     columns,
                                     {columns.all_but ? 0 : columns.begin, {}, {}},
                                     {}};
  const Ordinal num_cols = columns.all_but ? rows.num_block_cols() : static_cast<Ordinal>(columns.end - columns.begin);
  const Rows result = build_by_rows<Rows>(where, rows.block_shape(), rows.num_block_rows(), num_cols, blocks, blocks);
  where.fence("ashlar::distributed: rows cut");
  return result;
}

/// Rows where the matrix is to be; the same rows where they are there. Waits.
template <class Matrix, class Rows, class Exec>
Matrix on_device(const Exec& exec, const Rows& rows) {
  const Matrix result = copy_to<typename Matrix::memory_space>(exec, rows);
  exec.fence("ashlar::distributed: rows on the device");
  return result;
}

/// Rows on the device with all blocks in others' columns: of rows in the host's memory, with these alone.
template <class Matrix, class Rows, class Exec>
Matrix rows_with_others(const Exec& exec, const Rows& rows, const ColumnSet& other_columns) {
  if constexpr (std::is_same_v<Rows, Matrix>) {
    return rows;
  } else {
    return on_device<Matrix>(exec, cut_columns(exec, rows, other_columns));
  }
}

}  // namespace ashlar::impl
