#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/streaming/streamed_matrix.hpp>
#include <ashlar/streaming/subdivision.hpp>
#include <cstddef>
#include <cstdint>
#include <string>

namespace ashlar {

/// The diagonal blocks of a streamed matrix, as a matrix on the device: for preconditioners. A row that has none gets a
/// block of zeros, which those refuse as they refuse none.
///
/// Memory   allocates the result, a block and two numbers for each block row.
/// Async    the matrix is sent once; waits for `exec`.
/// Throws   ShapeError for a matrix that is not square; ArgumentError where the host has a share of its own, whose rows
///          are not sent; and what products throw.
template <bcsr_matrix Matrix, execution_space Exec>
Matrix diagonal_blocks(const Exec& exec, const StreamedMatrix<Matrix, Exec>& streamed) {
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;
  using Space = typename Matrix::memory_space;
  const auto& shape = streamed.matrix();
  if (shape.num_rows() != shape.num_cols()) {
    throw ShapeError(text("diagonal_blocks: a matrix of ", shape.num_rows(), " x ", shape.num_cols()),
                     "only the diagonal of a square matrix is made of whole blocks", "check how the matrix was built");
  }
  if (streamed.estimate().host_bytes > 0) {
    throw ArgumentError("diagonal_blocks: a streamed matrix of which the host multiplies a share",
                        "those rows never come to the device", "take the diagonal of the host's matrix");
  }
  const std::int64_t num_rows = shape.num_block_rows(), per_block = shape.block_shape().num_values();
  const auto allocate = [&](const char* label) { return Kokkos::view_alloc(exec, std::string(label)); };
  const Kokkos::View<Offset*, Space> row_ptr(allocate("ashlar::row_ptr"), std::size_t(num_rows + 1));
  const Kokkos::View<Ordinal*, Space> col_idx(allocate("ashlar::col_idx"), std::size_t(num_rows));
  const Kokkos::View<typename Matrix::scalar_type*, Space> values(allocate("ashlar::values"),
                                                                  std::size_t(num_rows * per_block));
  using Range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
  Kokkos::parallel_for(
      "ashlar::diagonal_blocks[graph]", Range(exec, 0, num_rows + 1), KOKKOS_LAMBDA(std::int64_t i) {
        row_ptr(i) = static_cast<Offset>(i);
        if (i < num_rows) col_idx(i) = static_cast<Ordinal>(i);
      });
  streamed.for_each(exec, [&](const Matrix& rows, const SpmvPlan<Matrix>&, const Subdivision& part) {
    const auto from_row_ptr = rows.graph().row_ptr();
    const auto from_col_idx = rows.graph().col_idx();
    const auto from = rows.values();
    const std::int64_t first = part.first_row;
    Kokkos::parallel_for(
        "ashlar::diagonal_blocks", Range(exec, 0, part.num_rows), KOKKOS_LAMBDA(std::int64_t i) {
          for (std::int64_t block = from_row_ptr(i); block < from_row_ptr(i + 1); ++block) {
            if (from_col_idx(block) != first + i) continue;
            for (std::int64_t v = 0; v < per_block; ++v) {
              values((first + i) * per_block + v) = from(block * per_block + v);
            }
          }
        });
  });
  exec.fence("ashlar::diagonal_blocks");
  return {shape.block_shape(), {static_cast<Ordinal>(num_rows), row_ptr, col_idx}, values};
}

}  // namespace ashlar
