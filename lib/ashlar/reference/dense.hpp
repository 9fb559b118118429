#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <cstdint>
#include <vector>

namespace ashlar::reference {

/// All num_rows() x num_cols() entries, row after row: for matrices small enough to look at.
///
/// Memory   A reachable from the host.
template <bcsr_matrix Matrix>
std::vector<typename Matrix::scalar_type> dense(const Matrix& A) {
  static_assert(Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Matrix::memory_space>::accessible,
                "reference::dense: copy the matrix to the host first (copy_to)");
  using Scalar = typename Matrix::scalar_type;
  const auto [R, C] = A.block_shape();
  std::vector<Scalar> entries(A.num_rows() * A.num_cols(), Scalar(0));
  for (std::int64_t i = 0; i < A.num_block_rows(); ++i) {
    for (std::int64_t k = A.graph().row_ptr()(i); k < std::int64_t(A.graph().row_ptr()(i + 1)); ++k) {
      const std::int64_t j = A.graph().col_idx()(k);
      for (int r = 0; r < R; ++r) {
        for (int c = 0; c < C; ++c) {
          entries[(i * R + r) * A.num_cols() + j * C + c] = A.values()(k * R * C + Matrix::layout_type::at(r, c, R, C));
        }
      }
    }
  }
  return entries;
}

}  // namespace ashlar::reference
