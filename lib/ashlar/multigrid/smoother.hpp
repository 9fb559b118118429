#pragma once

#include <array>
#include <ashlar/multigrid/operator.hpp>
#include <utility>

namespace ashlar::multigrid {

inline constexpr int num_sweeps = 6;

/// The factors of Chebyshev's iteration for eigenvalues from an eighth of `largest` to it: step s makes of x, and of x
/// before, x + c1[s] (x - x before) + c2[s] D^-1 (f - A x).
struct ChebyshevFactors {
  std::array<double, num_sweeps> c1{}, c2{};

  explicit ChebyshevFactors(double largest) {
    const double upper = largest, lower = 0.125 * largest;
    const double theta = (upper + lower) / 2, delta = (upper - lower) / 2, sigma = theta / delta;
    double rho = 1 / sigma;
    c2[0] = 1 / theta;
    for (std::size_t s = 1; s < num_sweeps; ++s) {
      const double next = 1 / (2 * sigma - rho);
      c1[s] = next * rho;
      c2[s] = 2 * next / delta;
      rho = next;
    }
  }
};

/// One sweep over the cells of a colour, those with (i + j + k + colour) even: x := x + D^-1 (f - A x) there. With fv4
/// all cells are made anew in the level's temp, since cells of one colour read each other; x and temp are then swapped.
///
/// Async    enqueued on `exec`; no fence, no allocation. (The same is true of smooth().)
template <class Exec, class Vector>
void gauss_seidel_half_sweep(const Exec& exec, const Level<Exec>& level, Vector& x, Vector& temp, const Vector& f,
                             int colour) {
  const double* const inverse = level.inverse_diagonal.data();
  const bool is_in_place = level.discretisation == Discretisation::fv2;
  with_ghosts(exec, level, x, Phase::smooth, [&](CellsOf<Exec> cells) {
    if (is_in_place) {
      impl::for_colour("ashlar::multigrid::smooth[gsrb]", exec, level, cells, colour,
                       impl::RelaxInPlaceBody<Fv2Stencil>{{level.stencil_data(x)}, f.data(), inverse, x.data()});
    } else {
      impl::for_fluxes("smooth[gsrb]", exec, level, cells,
                       impl::RelaxBody<Fv4Stencil>{{level.stencil_data(x)}, f.data(), inverse, temp.data(), colour});
    }
  });
  if (!is_in_place) std::swap(x, temp);
}

/// Six sweeps on x: three of both colours of Gauss-Seidel, Chebyshev's polynomial of degree 6, or six of Jacobi with
/// weight 2/3. Uses the level's temp.
template <class Exec, class Vector>
void smooth(const Exec& exec, const Level<Exec>& level, Smoother smoother, const Vector& x, const Vector& f) {
  Vector now = x, next = level.temp;
  if (smoother == Smoother::gsrb) {
    // An even number of swaps: the last result is in x.
    for (int s = 0; s < num_sweeps; ++s) gauss_seidel_half_sweep(exec, level, now, next, f, s % 2);
    return;
  }
  const ChebyshevFactors factors(level.largest_eigenvalue);
  for (std::size_t s = 0; s < num_sweeps; ++s) {
    const bool is_jacobi = smoother == Smoother::jacobi;
    const double c1 = is_jacobi ? 0 : factors.c1[s], c2 = is_jacobi ? 2. / 3 : factors.c2[s];
    with_ghosts(exec, level, now, Phase::smooth, [&](CellsOf<Exec> cells) {
      with_stencil(level, now, [&]<class Stencil>(const Stencil& stencil) {
        impl::for_fluxes(
            "smooth[polynomial]", exec, level, cells,
            impl::PolynomialBody<Stencil>{stencil, f.data(), level.inverse_diagonal.data(), next.data(), c1, c2});
      });
    });
    std::swap(now, next);
  }
}

/// The adjoint of smooth(): the colours of Gauss-Seidel in reverse order; the others are their own.
template <class Exec, class Vector>
void smooth_back(const Exec& exec, const Level<Exec>& level, Smoother smoother, const Vector& x, const Vector& f) {
  if (smoother != Smoother::gsrb) return smooth(exec, level, smoother, x, f);
  Vector now = x, next = level.temp;
  for (int s = num_sweeps; s-- > 0;) gauss_seidel_half_sweep(exec, level, now, next, f, s % 2);
}

}  // namespace ashlar::multigrid
