#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/multigrid/box_grid.hpp>
#include <ashlar/multigrid/box_layout.hpp>

/// The averages of a smooth function over a cell of width h, or a face, are its value at the centre and h^2/24 times
/// its second derivatives, in all directions or in those along the face, up to order 4.
namespace ashlar::multigrid::impl {

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
