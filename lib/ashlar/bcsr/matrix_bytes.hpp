#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/bytes.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <cstdint>

namespace ashlar {

/// Bytes that a matrix of square blocks holds, by its sizes alone: what held_bytes() tells of one that is there. The
/// largest number there is where 64 bits do not hold it.
template <bcsr_matrix Matrix>
std::uint64_t bcsr_bytes(std::uint64_t num_block_rows, std::uint64_t num_blocks, std::uint64_t block_size) {
  const ByteCount scalar{sizeof(typename Matrix::scalar_type)}, column{sizeof(typename Matrix::ordinal_type)},
      offset{sizeof(typename Matrix::offset_type)}, b{block_size};
  return (ByteCount{num_blocks} * (b * b * scalar + column) + (ByteCount{num_block_rows} + ByteCount{1}) * offset)
      .count;
}

/// Bytes that transpose_index() of such a matrix allocates: the index, which stays, and for a moment where each
/// column's next block goes.
template <bcsr_matrix Matrix>
std::uint64_t transpose_index_bytes(std::uint64_t num_block_rows, std::uint64_t num_blocks) {
  const ByteCount column{sizeof(typename Matrix::ordinal_type)}, offset{sizeof(typename Matrix::offset_type)},
      pointers = ByteCount{2} * ByteCount{num_block_rows} + ByteCount{1};
  return (pointers * offset + ByteCount{num_blocks} * (column + offset)).count;
}

/// Memory that a matrix holds: its values, block columns and row pointers, each of which others may share.
template <bcsr_matrix Matrix>
HeldBytes held_bytes(const Matrix& matrix) {
  const auto bytes = [](const auto& view) { return std::uint64_t(view.span()) * sizeof(*view.data()); };
  const auto& graph = matrix.graph();
  const std::uint64_t all = bytes(matrix.values()) + bytes(graph.col_idx()) + bytes(graph.row_ptr());
  constexpr bool is_on_host =
      Kokkos::SpaceAccessibility<Kokkos::DefaultHostExecutionSpace, typename Matrix::memory_space>::accessible &&
      is_gpu_v<Kokkos::DefaultExecutionSpace>;
  return is_on_host ? HeldBytes{0, all} : HeldBytes{all, 0};
}

}  // namespace ashlar
