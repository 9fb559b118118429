#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/amg/level_matrix.hpp>
#include <ashlar/base/algorithms.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <cstdint>

namespace ashlar::amg {

namespace impl {

/// P := P0 - omega D^-1 (A P0), column k of the blocks of row i, where P holds A P0.
template <class Matrix>
struct SmoothRow {
  using Scalar = typename Matrix::scalar_type;
  using Layout = typename Matrix::layout_type;

  typename Matrix::graph_type::row_ptr_view row_ptr, tentative_row_ptr;
  typename Matrix::graph_type::col_idx_view col_idx, tentative_col_idx;
  const Scalar *inverse, *tentative;
  Scalar* values;
  int b, m;
  Scalar omega;

  KOKKOS_FUNCTION void operator()(std::int64_t which) const {
    const std::int64_t i = which / m;
    const int k = static_cast<int>(which % m);
    const Scalar* const d = inverse + i * b * b;
    for (std::int64_t e = row_ptr(i); e < std::int64_t(row_ptr(i + 1)); ++e) {
      Scalar* const block = values + e * b * m;
      Scalar smoothed[most_rows];
      for (int r = 0; r < b; ++r) {
        Scalar sum(0);
        for (int c = 0; c < b; ++c) sum += d[Layout::at(r, c, b)] * block[Layout::at(c, k, b, m)];
        smoothed[r] = -omega * sum;
      }
      for (int r = 0; r < b; ++r) block[Layout::at(r, k, b, m)] = smoothed[r];
    }
    const std::int64_t own = tentative_row_ptr(i);
    if (own == std::int64_t(tentative_row_ptr(i + 1))) return;
    // (A has its diagonal blocks: the product has a block there. Own columns have the same numbers in both.)
    const std::int64_t place = first_not_less(col_idx, row_ptr(i), row_ptr(i + 1), tentative_col_idx(own));
    for (int r = 0; r < b; ++r) {
      values[place * b * m + Layout::at(r, k, b, m)] += tentative[own * b * m + Layout::at(r, k, b, m)];
    }
  }

  static constexpr int most_rows = 64;
};

}  // namespace impl

/// One step of damped block-Jacobi on the columns of P0: P := (I - omega D^-1 A) P0.
///
/// Shapes   `product` multiplies A and P0; `inverse` holds the inverses of the diagonal blocks of A. The result has
/// this
///          rank's rows, for product.distribute().
/// Async    enqueued on `exec`; the allocation of P is not. Over ranks: collective.
/// Source   Vanek, Mandel and Brezina 1996, section 4.
template <execution_space Exec, class A>
auto smooth_prolongator(const Exec& exec, const typename LevelMatrix<A>::Product& product, const A& a,
                        const A& distributed_tentative, const typename LevelMatrix<A>::Local& tentative,
                        const typename LevelMatrix<A>::Scalar* inverse, double omega) {
  using Matrix = typename LevelMatrix<A>::Local;
  const Matrix p = product.multiply_rows(exec, a, distributed_tentative);
  const int m = p.block_shape().cols;
  Kokkos::parallel_for(
      "ashlar::amg[smooth prolongator]",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, std::int64_t(p.num_block_rows()) * m),
      impl::SmoothRow<Matrix>{p.graph().row_ptr(), tentative.graph().row_ptr(), p.graph().col_idx(),
                              tentative.graph().col_idx(), inverse, tentative.values().data(), p.values().data(),
                              p.block_shape().rows, m, static_cast<typename Matrix::scalar_type>(omega)});
  return p;
}

}  // namespace ashlar::amg
