#pragma once

#include <ashlar/base/scalar.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/spmv/kernel.hpp>
#include <cstdint>

namespace ashlar {

/// Bytes of an entry of the vectors that a matrix of such values multiplies: of their own type, where there are such
/// vectors.
template <matrix_value T>
inline constexpr std::int64_t vector_scalar_bytes_of = scalar<T> ? sizeof(T) : sizeof(vector_scalar_t<T>);

/// The fewest bytes that y := alpha*A*x + beta*y moves: values, block columns, row pointers and x read once, y written
/// once, and read once more unless beta is 0. With A^T, whose blocks come in another order than they are stored in, an
/// offset for each block is read besides. Vectors of another type than the values have `vector_scalar_bytes` an entry.
/// Of `num_vectors` vectors each is read and written, and A once for all.
/// The byte model of docs, performance tests and reports.
template <bcsr_matrix Matrix>
std::int64_t spmv_traffic_bytes(const Matrix& matrix, bool beta_is_zero = true, Mode mode = Mode::no_transpose,
                                std::int64_t vector_scalar_bytes = vector_scalar_bytes_of<typename Matrix::scalar_type>,
                                int num_vectors = 1) {
  constexpr std::int64_t scalar_bytes = sizeof(typename Matrix::scalar_type);
  constexpr std::int64_t ordinal_bytes = sizeof(typename Matrix::ordinal_type);
  constexpr std::int64_t offset_bytes = sizeof(typename Matrix::offset_type);
  const bool transpose = is_transposed(mode);
  const std::int64_t block_rows = transpose ? matrix.num_block_cols() : matrix.num_block_rows();
  const std::int64_t rows = transpose ? matrix.num_cols() : matrix.num_rows();
  const std::int64_t cols = transpose ? matrix.num_rows() : matrix.num_cols();
  const std::int64_t entry_bytes = ordinal_bytes + (transpose ? offset_bytes : 0);
  return matrix.num_values() * scalar_bytes + std::int64_t(matrix.num_blocks()) * entry_bytes +
         (block_rows + 1) * offset_bytes + (cols + rows * (beta_is_zero ? 1 : 2)) * vector_scalar_bytes * num_vectors;
}

}  // namespace ashlar
