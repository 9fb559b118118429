#pragma once

#include <ashlar/amg/options.hpp>
#include <ashlar/base/bytes.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/bcsr/matrix_bytes.hpp>
#include <ashlar/operators/preconditioner_bytes.hpp>
#include <cstdint>

namespace ashlar::amg {

/// Bytes that a Preconditioner and its set-up are planned with, beside a matrix of these sizes: matrices and
/// prolongators of its levels, structures of products, vectors. An estimate from sizes alone, above the measured need;
/// the largest number there is if 64 bits do not hold it.
template <bcsr_matrix Matrix>
std::uint64_t preconditioner_bytes(std::uint64_t num_block_rows, std::uint64_t num_blocks, std::uint64_t block_size) {
  const ByteCount vector =
      ByteCount{num_block_rows} * ByteCount{block_size} * ByteCount{sizeof(typename Matrix::scalar_type)};
  return (ByteCount{4} * ByteCount{bcsr_bytes<Matrix>(num_block_rows, num_blocks, block_size)} + ByteCount{20} * vector)
      .count;
}

/// Bytes of a StreamedPreconditioner for a finest level of these sizes: diagonal blocks and
/// inverses, with l1_jacobi twice, and vectors.
template <bcsr_matrix Matrix>
std::uint64_t streamed_level_bytes(std::uint64_t num_block_rows, std::uint64_t block_size, SmootherKind smoother) {
  const ByteCount blocks{block_jacobi_bytes<Matrix>(num_block_rows, block_size)};
  const ByteCount vector =
      ByteCount{num_block_rows} * ByteCount{block_size} * ByteCount{sizeof(typename Matrix::scalar_type)};
  return (ByteCount{smoother == SmootherKind::l1_jacobi ? 4u : 2u} * blocks + ByteCount{5} * vector).count;
}

}  // namespace ashlar::amg
