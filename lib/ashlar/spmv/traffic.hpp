#pragma once

#include <ashlar/bcsr/matrix.hpp>
#include <cstdint>

namespace ashlar {

/// The fewest bytes that y := alpha*A*x + beta*y moves: values, block columns, row pointers and x read once, y written
/// once, and read once more unless beta is 0. The byte model of docs, performance tests and reports.
template <bcsr_matrix Matrix>
std::int64_t spmv_traffic_bytes(const Matrix& matrix, bool beta_is_zero = true) {
  constexpr std::int64_t scalar_bytes = sizeof(typename Matrix::scalar_type);
  constexpr std::int64_t ordinal_bytes = sizeof(typename Matrix::ordinal_type);
  constexpr std::int64_t offset_bytes = sizeof(typename Matrix::offset_type);
  return matrix.num_values() * scalar_bytes + std::int64_t(matrix.num_blocks()) * ordinal_bytes +
         (std::int64_t(matrix.num_block_rows()) + 1) * offset_bytes + matrix.num_cols() * scalar_bytes +
         matrix.num_rows() * scalar_bytes * (beta_is_zero ? 1 : 2);
}

}  // namespace ashlar
