#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/algorithms.hpp>
#include <ashlar/distributed/matrix.hpp>
#include <cstdint>

namespace ashlar::impl {

/// The rows of a rank in a DistributedMatrix, for kernels.
template <class Matrix>
struct OwnRows {
  using Space = typename Matrix::memory_space;

  typename Matrix::graph_type::row_ptr_view local_row_ptr, remote_row_ptr;
  typename Matrix::graph_type::col_idx_view local_columns, remote_columns;
  typename Matrix::values_view local_values, remote_values;
  Kokkos::View<const typename Matrix::ordinal_type*, Space> remote_rows;
  Kokkos::View<const std::int64_t*, Space> halo_columns;

  explicit OwnRows(const DistributedMatrix<Matrix>& a)
      : local_row_ptr(a.local().graph().row_ptr()),
        remote_row_ptr(a.remote().graph().row_ptr()),
        local_columns(a.local().graph().col_idx()),
        remote_columns(a.remote().graph().col_idx()),
        local_values(a.local().values()),
        remote_values(a.remote().values()),
        remote_rows(a.remote_rows()),
        halo_columns(a.halo_columns()) {}

  /// The remote blocks of a row: begin and end.
  KOKKOS_INLINE_FUNCTION Kokkos::pair<std::int64_t, std::int64_t> remote_blocks(std::int64_t row) const {
    const auto count = static_cast<std::int64_t>(remote_rows.extent(0));
    const std::int64_t at = first_not_less(remote_rows, 0, count, row);
    if (at == count || std::int64_t(remote_rows(at)) != row) return {0, 0};
    return {std::int64_t(remote_row_ptr(at)), std::int64_t(remote_row_ptr(at + 1))};
  }
};

}  // namespace ashlar::impl
