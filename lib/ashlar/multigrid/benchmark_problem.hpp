#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/multigrid/box_grid.hpp>
#include <ashlar/multigrid/impl/for_each_cell.hpp>
#include <ashlar/multigrid/level.hpp>

namespace ashlar::multigrid::impl {

// The averages of a smooth function over a cell of width h, or a face, are its value at the centre and h^2/24 times
// its second derivatives, in all directions or in those along the face, up to order 4.

template <class Origins, class Real>
struct BenchmarkSource {
  Origins origins;
  BoxLayout layout;
  double h;
  Real* f;

  KOKKOS_FUNCTION void operator()(int box, int i, int j, int k) const {
    constexpr double wave = 2 * Kokkos::numbers::pi;
    const Index3& origin = origins(box);
    const double x[3] = {h * (origin[0] + i + 0.5), h * (origin[1] + j + 0.5), h * (origin[2] + k + 0.5)};
    double value[3], second[3];
    for (int d = 0; d < 3; ++d) {
      const double s = Kokkos::sin(wave * x[d]), c = Kokkos::cos(wave * x[d]);
      const double s5 = s * s * s * s * s;
      value[d] = s5 * s * s;
      second[d] = wave * wave * 7 * (6 * s5 * c * c - value[d]);
    }
    f[layout.at(box, i, j, k)] = static_cast<Real>(
        value[0] * value[1] * value[2] +
        h * h / 24 *
            (second[0] * value[1] * value[2] + value[0] * second[1] * value[2] + value[0] * value[1] * second[2]));
  }
};

template <class Origins, class Real>
struct BenchmarkCoefficient {
  Origins origins;
  BoxLayout layout;
  double h;
  int direction;  // the faces' normal
  Real* beta;

  KOKKOS_FUNCTION void operator()(int box, int i, int j, int k) const {
    constexpr double wave = 2 * Kokkos::numbers::pi;
    const Index3& origin = origins(box);
    const double cell[3] = {origin[0] + i + 0.5, origin[1] + j + 0.5, origin[2] + k + 0.5};
    double product = 1;
    for (int d = 0; d < 3; ++d) product *= Kokkos::sin(wave * (h * (cell[d] - (d == direction ? 0.5 : 0))));
    beta[layout.at(box, i, j, k)] =
        static_cast<Real>(1 + 0.25 * product - h * h / 24 * 2 * wave * wave * 0.25 * product);
  }
};

}  // namespace ashlar::multigrid::impl

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
    // With the faces on the high side of each box, some of which are the domain's.
    Index3 size = level.box_size();
    ++size[d];
    impl::for_each_cell(
        "ashlar::multigrid::benchmark_beta", exec, level.num_boxes(), size,
        impl::BenchmarkCoefficient<Origins, Real>{level.origins, level.layout, h, d, level.beta[d].data()});
  }
  if (level.equation == Equation::helmholtz) Kokkos::deep_copy(exec, level.alpha, 1.0);
}

}  // namespace ashlar::multigrid
