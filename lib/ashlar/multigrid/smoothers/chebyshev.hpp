#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/cycles/chebyshev.hpp>
#include <ashlar/multigrid/level.hpp>
#include <ashlar/multigrid/methods.hpp>
#include <ashlar/multigrid/stencil.hpp>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <utility>

namespace ashlar::multigrid {

namespace impl {

/// out := x + c1 (x - out) + c2 D^-1 (f - A x); with c1 = 0 `out` is not read.
template <class Stencil>
struct PolynomialBody {
  using Real = typename Stencil::Real;
  Stencil stencil;
  const Real* f;
  const Real* inverse_diagonal;
  Real* out;
  Real c1, c2;
  struct Read {
    Real f, inverse_diagonal, before;
  };
  KOKKOS_FUNCTION Read read(std::int64_t c) const { return {f[c], inverse_diagonal[c], c1 == 0 ? 0 : out[c]}; }
  KOKKOS_FUNCTION Real operator()(std::int64_t c, Real here, Real fluxes, const Read& read) const {
    const Real before = c1 == 0 ? 0 : c1 * (here - read.before);
    return here + before + c2 * (read.inverse_diagonal * (read.f - applied(stencil, c, here, fluxes)));
  }
};

}  // namespace impl

/// Chebyshev's polynomial of degree 6 for eigenvalues from an eighth of the largest one up. It is its own adjoint.
struct Chebyshev {
  static constexpr std::string_view name = "chebyshev";
  static constexpr int num_sweeps = 6;
  static constexpr int more_reads = 1;  // the x before
  template <class Real>
  using Bodies = std::tuple<impl::PolynomialBody<Fv2Stencil<Real>>, impl::PolynomialBody<Fv4Stencil<Real>>>;

  template <class Level, class Vector, class Sweep>
  static void for_each_sweep(const Level& level, const Vector& x, const Vector& f, SmoothingOrder, const Sweep& sweep) {
    const double largest = level.largest_eigenvalue;
    cycles::Chebyshev coefficients(0.125 * largest, largest);
    for_each_step(level, x, f, sweep, [&](int step) { return step == 0 ? coefficients.first() : coefficients.next(); });
  }

  /// Steps with the coefficients of_step(0), of_step(1), ...: what a step adds is of_d times what the step before
  /// added, and of_r D^-1 (f - A x).
  template <class Level, class Vector, class Sweep, class OfStep>
  static void for_each_step(const Level& level, const Vector& x, const Vector& f, const Sweep& sweep,
                            const OfStep& of_step) {
    using Real = typename Vector::non_const_value_type;
    static_assert(num_sweeps % 2 == 0);  // sweeps go from x to temp and back
    Vector now = x, next = level.temp;
    for (int step = 0; step < num_sweeps; ++step) {
      const cycles::Chebyshev::Step coefficients = of_step(step);
      with_stencil(level, now, [&]<class Stencil>(const Stencil& stencil) {
        sweep(now, impl::PolynomialBody<Stencil>{stencil, f.data(), level.inverse_diagonal.data(), next.data(),
                                                 Real(coefficients.of_d), Real(coefficients.of_r)});
      });
      std::swap(now, next);
    }
  }
};

}  // namespace ashlar::multigrid
