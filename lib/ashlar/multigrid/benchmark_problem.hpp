#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/multigrid/impl/benchmark_bodies.hpp>
#include <ashlar/multigrid/impl/for_each_cell.hpp>
#include <ashlar/multigrid/level.hpp>

namespace ashlar::multigrid {

/// The problem of the benchmark HPGMG-FV on the unit cube: beta = 1 + sin(2 pi x) sin(2 pi y) sin(2 pi z) / 4, f the
/// product of the seventh powers of these sines, alpha = 1. Sets the level's f, beta and, where there is one, alpha, as
/// averages over cells and faces up to order 4.
///
/// Async    enqueued on `exec`; no fence, no allocation.
template <class Exec, class Real>
void set_benchmark_problem(const Exec& exec, const Level<Exec, Real>& level) {
  using Origins = decltype(level.origins);
  const double h = level.grid.cell_width();
  impl::for_each_cell("ashlar::multigrid::benchmark_f", exec, level.num_boxes(), level.box_size(),
                      impl::BenchmarkSource<Origins, Real>{level.origins, level.layout, h, level.f.data()});
  for (int d = 0; d < 3; ++d) {
    // With the faces on the high side of each box: some are those of the domain.
    Index3 size = level.box_size();
    ++size[d];
    impl::for_each_cell(
        "ashlar::multigrid::benchmark_beta", exec, level.num_boxes(), size,
        impl::BenchmarkCoefficient<Origins, Real>{level.origins, level.layout, h, d, level.beta[d].data()});
  }
  if (level.equation == Equation::helmholtz) Kokkos::deep_copy(exec, level.alpha, 1.0);
}

}  // namespace ashlar::multigrid
