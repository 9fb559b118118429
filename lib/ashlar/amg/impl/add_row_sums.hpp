#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <cstdint>

namespace ashlar::amg::impl {

/// Block row i, of which a rank has all.
struct SameRow {
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const { return i; }
};

/// Adds the sum of |a_ij| over a row to its entry on the diagonal of another matrix.
template <class Matrix, class Rows>
struct AddRowSum {
  using Layout = typename Matrix::layout_type;

  typename Matrix::graph_type::row_ptr_view row_ptr;
  typename Matrix::graph_type::col_idx_view col_idx;
  typename Matrix::values_view values, diagonal;
  Rows rows;  // of the diagonal
  bool skips_diagonal_block;
  int b;

  KOKKOS_FUNCTION void operator()(std::int64_t which) const {
    const std::int64_t i = which / b;
    const int r = static_cast<int>(which % b);
    double sum = 0;
    for (std::int64_t k = row_ptr(i); k < std::int64_t(row_ptr(i + 1)); ++k) {
      if (skips_diagonal_block && std::int64_t(col_idx(k)) == i) continue;
      for (int c = 0; c < b; ++c) sum += Kokkos::abs(double(values(k * b * b + Layout::at(r, c, b))));
    }
    diagonal(std::int64_t(rows(i)) * b * b + Layout::at(r, r, b)) += typename Matrix::scalar_type(sum);
  }
};

/// Adds the sum of |a_ij| over each row of `a` to the diagonal entry of row rows(i) of `diagonal`, which has a block in
/// each row. Enqueued on `exec`.
template <class Exec, class Matrix, class Rows>
void add_row_sums(const Exec& exec, const Matrix& a, const Rows& rows, bool skips_diagonal_block,
                  const Matrix& diagonal) {
  const int b = diagonal.block_size();
  Kokkos::parallel_for(
      "ashlar::amg[row sums]",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, std::int64_t(a.num_block_rows()) * b),
      AddRowSum<Matrix, Rows>{a.graph().row_ptr(), a.graph().col_idx(), a.values(), diagonal.values(), rows,
                              skips_diagonal_block, b});
}

}  // namespace ashlar::amg::impl
