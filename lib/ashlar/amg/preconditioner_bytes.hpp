#pragma once

#include <algorithm>
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
///
/// With r modes for each unknown of a node, blocks of prolongators are r times as large as blocks of A, and blocks of
/// coarse matrices r^2 times. So the plan has r + r^2 / 3 times the bytes of A, at least 4 times, 20 vectors and
/// the modes.
template <bcsr_matrix Matrix>
std::uint64_t preconditioner_bytes(std::uint64_t num_block_rows, std::uint64_t num_blocks, std::uint64_t block_size,
                                   std::uint64_t num_modes) {
  const ByteCount vector =
      ByteCount{num_block_rows} * ByteCount{block_size} * ByteCount{sizeof(typename Matrix::scalar_type)};
  const std::uint64_t b = block_size, m = num_modes, thirds = 3 * b * b;
  const std::uint64_t matrices = std::max<std::uint64_t>(4, ((3 * b + m) * m + thirds - 1) / thirds);
  return (ByteCount{matrices} * ByteCount{bcsr_bytes<Matrix>(num_block_rows, num_blocks, block_size)} +
          ByteCount{20 + m} * vector)
      .count;
}

/// Bytes of a StreamedPreconditioner for a finest level of these sizes: vectors, the diagonal blocks, and their
/// inverses twice, as new values are inverted while the old inverses are there; with l1_jacobi two inverses more.
template <bcsr_matrix Matrix>
std::uint64_t streamed_level_bytes(std::uint64_t num_block_rows, std::uint64_t block_size, SmootherKind smoother) {
  const ByteCount blocks{block_jacobi_bytes<Matrix>(num_block_rows, block_size)};
  const ByteCount vector =
      ByteCount{num_block_rows} * ByteCount{block_size} * ByteCount{sizeof(typename Matrix::scalar_type)};
  return (ByteCount{smoother == SmootherKind::l1_jacobi ? 5u : 3u} * blocks + ByteCount{5} * vector).count;
}

}  // namespace ashlar::amg
