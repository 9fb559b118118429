#pragma once

#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/io/block_file.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

namespace ashlar::io {

/// Reads block rows first_row .. end_row - 1 of a matrix, with the block columns of the whole, and nothing else.
///
/// Types    as read_block_file(); the offset type counts the blocks of these rows alone.
/// Memory   allocates the rows in Matrix::memory_space, and once more on the host if that does not reach the first.
/// Async    waits for `exec`.
/// Throws   ArgumentError where there are no such rows; FileError as read_block_file().
template <bcsr_matrix Matrix, execution_space Exec>
Matrix read_block_file_rows(const Exec& exec, const BlockFile& file, std::int64_t first_row, std::int64_t end_row) {
  using Scalar = typename Matrix::scalar_type;
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;
  using Space = typename Matrix::memory_space;
  using HostSpace = std::conditional_t<impl::is_on_host<Space>, Space, Kokkos::HostSpace>;
  if (first_row < 0 || end_row < first_row || end_row > file.num_block_rows()) {
    throw ArgumentError(text(file.path(), ": block rows ", first_row, " to ", end_row),
                        text("it has ", file.num_block_rows()), "ask for rows that are there");
  }
  const std::vector<std::int64_t>& rows = file.row_ptr();
  const std::int64_t first = rows[std::size_t(first_row)], count = rows[std::size_t(end_row)] - first;
  impl::require_fit(file, Matrix::layout_type::name, std::numeric_limits<Ordinal>::max(),
                    std::numeric_limits<std::int64_t>::max());
  if (count > most_blocks<Offset>) {
    throw FileError(file.path(), 0, text(count, " blocks in block rows ", first_row, " to ", end_row),
                    text("the offset type counts to ", most_blocks<Offset>),
                    "read fewer rows, or a matrix type with std::int64_t offsets");
  }
  const auto row_ptr = ashlar::impl::target_of_copy<Offset, HostSpace>("ashlar::row_ptr", end_row - first_row + 1);
  for (std::int64_t i = first_row; i <= end_row; ++i) {
    row_ptr(i - first_row) = static_cast<Offset>(rows[std::size_t(i)] - first);
  }
  const auto col_idx = ashlar::impl::target_of_copy<Ordinal, HostSpace>("ashlar::col_idx", count);
  file.read_col_idx(first, count, col_idx.data());
  const BcsrGraph<Ordinal, Offset, HostSpace> graph(static_cast<Ordinal>(file.num_block_cols()), row_ptr, col_idx);
  try {
    validate(impl::host_instance(exec), graph);
  } catch (const StructureError& error) {
    throw FileError(file.path(), 0, text("from block row ", first_row, " on: ", error.problem()), error.why(),
                    "the program that wrote the file is at fault");
  }
  const auto values =
      ashlar::impl::target_of_copy<Scalar, HostSpace>("ashlar::values", count * file.block_shape().num_values());
  file.read_values(first, count, values.data());
  const typename Matrix::template in_space<HostSpace> on_host(file.block_shape(), graph, values);
  const Matrix matrix = copy_to<Space>(exec, on_host);
  exec.fence("ashlar::io::read_block_file_rows: the host's copy may go");
  return matrix;
}

}  // namespace ashlar::io
