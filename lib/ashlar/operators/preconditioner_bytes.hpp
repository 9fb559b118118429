#pragma once

#include <ashlar/base/bytes.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/bcsr/matrix_bytes.hpp>
#include <cstdint>

namespace ashlar {

/// Bytes that making a JacobiPreconditioner allocates where the matrix is: the inverse diagonal, which stays, and for a
/// moment the places of the diagonal blocks. The largest number there is where 64 bits do not hold it.
template <bcsr_matrix Matrix>
std::uint64_t jacobi_bytes(std::uint64_t num_block_rows, std::uint64_t block_size) {
  const ByteCount rows{num_block_rows};
  return (rows * ByteCount{block_size} * ByteCount{sizeof(typename Matrix::scalar_type)} +
          rows * ByteCount{sizeof(typename Matrix::offset_type)})
      .count;
}

/// The same of a BlockJacobiPreconditioner: the inverse blocks, which stay, and for a moment the places of the diagonal
/// blocks, and their pivots.
template <bcsr_matrix Matrix>
std::uint64_t block_jacobi_bytes(std::uint64_t num_block_rows, std::uint64_t block_size) {
  const ByteCount rows{num_block_rows};
  return (ByteCount{bcsr_bytes<Matrix>(num_block_rows, num_block_rows, block_size)} +
          rows * ByteCount{sizeof(typename Matrix::offset_type)} +
          rows * ByteCount{block_size} * ByteCount{sizeof(int)})
      .count;
}

}  // namespace ashlar
