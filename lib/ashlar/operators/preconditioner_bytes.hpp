#pragma once

#include <ashlar/base/bytes.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/bcsr/matrix_bytes.hpp>
#include <cstdint>

namespace ashlar {

/// Bytes that a JacobiPreconditioner allocates where the matrix is: the inverse diagonal. The largest number there is
/// where 64 bits do not hold it.
template <bcsr_matrix Matrix>
std::uint64_t jacobi_bytes(std::uint64_t num_block_rows, std::uint64_t block_size) {
  return (ByteCount{num_block_rows} * ByteCount{block_size} * ByteCount{sizeof(typename Matrix::scalar_type)}).count;
}

/// The same of a BlockJacobiPreconditioner: the inverse blocks, as a matrix.
template <bcsr_matrix Matrix>
std::uint64_t block_jacobi_bytes(std::uint64_t num_block_rows, std::uint64_t block_size) {
  return bcsr_bytes<Matrix>(num_block_rows, num_block_rows, block_size);
}

}  // namespace ashlar
