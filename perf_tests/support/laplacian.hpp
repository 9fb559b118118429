#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace ashlar::perf {

/// rows := their rows of (L + I/100) (x) W, the structure as it is: L is the Laplacian of the graph, -1 for each
/// neighbour and in the middle their number, and W the b x b matrix I/2 + ones/(2b), whose eigenvalues are 1/2 and 1.
/// `rows` has the block rows from first_row on, of a matrix whose block columns it has.
///
/// SPD, as both factors are. The eigenvalues of L, from 0 on, grow with the square of the mesh width: so CG takes about
/// as many iterations as points lie along a few sides.
template <class Exec, class Matrix>
void fill_with_laplacian(const Exec& exec, const Matrix& rows, std::int64_t first_row = 0) {
  const int b = rows.block_size();
  const auto row_ptr = rows.graph().row_ptr();
  const auto col_idx = rows.graph().col_idx();
  const auto values = rows.values();
  Kokkos::parallel_for(
      "perf::laplacian", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, rows.num_block_rows()),
      KOKKOS_LAMBDA(std::int64_t i) {
        const std::int64_t begin = row_ptr(i), end = row_ptr(i + 1);
        for (std::int64_t k = begin; k < end; ++k) {
          const double entry = col_idx(k) == first_row + i ? double(end - begin - 1) + 0.01 : -1;
          for (int c = 0; c < b; ++c) {
            for (int r = 0; r < b; ++r) {
              values(k * b * b + Matrix::layout_type::at(r, c, b)) = entry * ((r == c ? 0.5 : 0) + 0.5 / b);
            }
          }
        }
      });
}

}  // namespace ashlar::perf
