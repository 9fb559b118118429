#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace ashlar::reference::impl {

/// call(row, column, value) for each entry that A stores, block row after block row, and in a block row after row.
///
/// Memory   A reachable from the host.
template <class Matrix, class Call>
void for_each_entry(const Matrix& A, const Call& call) {
  static_assert(Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Matrix::memory_space>::accessible,
                "ashlar::reference: copy the matrix to the host first (copy_to)");
  const auto [R, C] = A.block_shape();
  for (std::int64_t i = 0; i < A.num_block_rows(); ++i) {
    for (std::int64_t k = A.graph().row_ptr()(i); k < std::int64_t(A.graph().row_ptr()(i + 1)); ++k) {
      const std::int64_t j = A.graph().col_idx()(k);
      for (int r = 0; r < R; ++r) {
        for (int c = 0; c < C; ++c) {
          call(i * R + r, j * C + c, A.values()(k * R * C + Matrix::layout_type::at(r, c, R, C)));
        }
      }
    }
  }
}

}  // namespace ashlar::reference::impl
