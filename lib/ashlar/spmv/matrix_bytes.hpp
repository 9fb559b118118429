#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/held_bytes.hpp>
#include <ashlar/spmv/plan.hpp>
#include <cstdint>

namespace ashlar {

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

/// Memory that a plan holds besides: the index of A^T.
template <bcsr_matrix Matrix>
HeldBytes held_bytes(const SpmvPlan<Matrix>& plan) {
  const auto bytes = [](const auto& view) { return std::uint64_t(view.span()) * sizeof(*view.data()); };
  const auto& index = plan.index();
  return {bytes(index.row_ptr) + bytes(index.block_row) + bytes(index.block_offset), 0};
}

}  // namespace ashlar
