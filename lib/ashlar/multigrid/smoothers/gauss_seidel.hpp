#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/multigrid/level.hpp>
#include <ashlar/multigrid/methods.hpp>
#include <ashlar/multigrid/stencil.hpp>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <utility>

namespace ashlar::multigrid {

namespace impl {

/// out := x + D^-1 (f - A x) at cells of a colour; the other cells keep their x, and are not passed to this body.
template <class Stencil>
struct RelaxBody {
  using Real = typename Stencil::Real;
  Stencil stencil;
  const Real* f;
  const Real* inverse_diagonal;
  Real* out;
  int colour;
  struct Read {
    Real f, inverse_diagonal;
  };
  KOKKOS_FUNCTION Read read(std::int64_t c) const { return {f[c], inverse_diagonal[c]}; }
  KOKKOS_FUNCTION Real operator()(std::int64_t c, Real here, Real fluxes, const Read& read) const {
    return here + read.inverse_diagonal * (read.f - applied(stencil, c, here, fluxes));
  }
};

/// x := x + D^-1 (f - A x) in place, where cells of a colour do not read each other.
template <class Stencil>
struct RelaxInPlaceBody {
  static constexpr bool is_in_place = true;
  using Real = typename Stencil::Real;
  Stencil stencil;
  const Real* f;
  const Real* inverse_diagonal;
  Real* x;
  int colour;
  KOKKOS_FUNCTION void update(std::int64_t c) const {
    x[c] += inverse_diagonal[c] * (f[c] - applied(stencil, c, x[c], fluxes_at(stencil, c)));
  }
  KOKKOS_FUNCTION void keep(std::int64_t) const {}
};

}  // namespace impl

/// Three sweeps of Gauss-Seidel with two colours, each as two half sweeps. The adjoint has the colours in reverse
/// order.
struct GaussSeidel {
  static constexpr std::string_view name = "gsrb";
  static constexpr int num_sweeps = 6;
  /// Numbers that a sweep after the first reads of a cell, besides x, f, D^-1 and the coefficients.
  static constexpr int more_reads = 0;
  template <class Real>
  using Bodies = std::tuple<impl::RelaxBody<Fv4Stencil<Real>>, impl::RelaxInPlaceBody<Fv2Stencil<Real>>>;

  /// sweep(x, body) for each half sweep, of vectors whose ghost cells it fills first. The result is in x.
  template <class Level, class Vector, class Sweep>
  static void for_each_sweep(const Level& level, const Vector& x, const Vector& f, SmoothingOrder order,
                             const Sweep& sweep) {
    const int first = order == SmoothingOrder::forth ? 0 : 1;
    Vector now = x, temp = level.temp;
    for (int done = 0; done < num_sweeps; ++done) half_sweep(level, now, temp, f, (first + done) % 2, sweep);
  }

  /// One half sweep over the cells of a colour, (i + j + k + colour) even. With fv4 all cells are written to `temp`,
  /// since cells of one colour read each other; x and temp are then swapped.
  template <class Level, class Vector, class Sweep>
  static void half_sweep(const Level& level, Vector& x, Vector& temp, const Vector& f, int colour, const Sweep& sweep) {
    using Real = typename Vector::non_const_value_type;
    const Real* const inverse = level.inverse_diagonal.data();
    if (level.discretisation == Discretisation::fv2) {
      sweep(x, impl::RelaxInPlaceBody<Fv2Stencil<Real>>{{level.stencil_data(x)}, f.data(), inverse, x.data(), colour});
    } else {
      sweep(x, impl::RelaxBody<Fv4Stencil<Real>>{{level.stencil_data(x)}, f.data(), inverse, temp.data(), colour});
      std::swap(x, temp);
    }
  }
};

}  // namespace ashlar::multigrid
