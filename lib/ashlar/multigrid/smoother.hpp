#pragma once

#include <array>
#include <ashlar/multigrid/impl/relax_in_scratch.hpp>
#include <ashlar/multigrid/impl/step_recorder.hpp>
#include <ashlar/multigrid/operator.hpp>
#include <utility>

namespace ashlar::multigrid {

inline constexpr int num_sweeps = 6;
static_assert(num_sweeps % 2 == 0);  // sweeps go from x to temp and back

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
template <class Exec, class Real, class Vector>
void gauss_seidel_half_sweep(const Exec& exec, const Level<Exec, Real>& level, Vector& x, Vector& temp, const Vector& f,
                             int colour) {
  const Real* const inverse = level.inverse_diagonal.data();
  if (level.discretisation == Discretisation::fv2) {
    const impl::RelaxInPlaceBody<Fv2Stencil<Real>> body{{level.stencil_data(x)}, f.data(), inverse, x.data()};
    with_ghosts(exec, level, x, Phase::smooth, [&](CellsOf<Exec> cells) {
      impl::for_colour("ashlar::multigrid::smooth[gsrb]", exec, level, cells, colour, body);
    });
  } else {
    const impl::RelaxBody<Fv4Stencil<Real>> body{{level.stencil_data(x)}, f.data(), inverse, temp.data(), colour};
    with_ghosts(exec, level, x, Phase::smooth,
                [&](CellsOf<Exec> cells) { impl::for_fluxes("smooth[gsrb]", exec, level, cells, body); });
    std::swap(x, temp);
  }
}

namespace impl {
/// Where a visit is being recorded and RelaxInScratch serves the level, one step for the half sweeps of a smoothing; if
/// `coarse` is not null also for its r, f - A x after them, restricted, which only one box takes. Returns whether it
/// is. The result is in x's own memory.
template <class Exec, class Real, class Vector>
bool relax_in_scratch(const Exec& exec, const Level<Exec, Real>& level, const Vector& x, const Vector& f, int first,
                      const Level<Exec, Real>* coarse) {
  auto* const recorder = StepRecorder::current();
  if (recorder == nullptr || level.discretisation != Discretisation::fv4) return false;
  if (coarse != nullptr && coarse->num_boxes() != 1) return false;
  const RelaxBody<Fv4Stencil<Real>> body{
      {level.stencil_data(x)}, f.data(), level.inverse_diagonal.data(), x.data(), first};
  const BoundaryWeights<Real> weights = level.fill_for_operator.weights(operator_boundary_order(level));
  const auto add = [&]<class Tiles>() {
    using Relax = RelaxInScratch<Real, Tiles>;
    if (!Relax::serves(level.layout, level.num_boxes(), recorder->most_tiles())) return false;
    Relax relax{body, level.layout, weights, num_sweeps};
    if (coarse != nullptr) {
      relax.restricted = coarse->r.data();
      relax.coarse_layout = coarse->layout;
    }
    if constexpr (!Tiles::is_one) {
      relax.exchanged = recorder->template room<Packet, typename Exec::memory_space>(
          exec, &level, std::size_t(2 * level.layout.volume()));
    }
    recorder->add("ashlar::multigrid::smooth[gsrb]", relax, 1, level.num_cells());
    return true;
  };
  return add.template operator()<OneScratchTile>() || add.template operator()<ScratchTiles>();
}

/// Half sweeps of both colours alternately, beginning with `first`.
template <class Exec, class Real, class Vector>
void gauss_seidel(const Exec& exec, const Level<Exec, Real>& level, const Vector& x, const Vector& f, int first) {
  if (relax_in_scratch(exec, level, x, f, first, static_cast<const Level<Exec, Real>*>(nullptr))) return;
  Vector now = x, temp = level.temp;
  for (int done = 0; done < num_sweeps; ++done) {
    gauss_seidel_half_sweep(exec, level, now, temp, f, (first + done) % 2);
  }
}

/// Chebyshev's polynomial of degree 6, or six sweeps of Jacobi with weight 2/3.
template <class Exec, class Real, class Vector>
void polynomial(const Exec& exec, const Level<Exec, Real>& level, Smoother smoother, const Vector& x, const Vector& f) {
  Vector now = x, next = level.temp;
  const ChebyshevFactors factors(level.largest_eigenvalue);
  for (std::size_t s = 0; s < num_sweeps; ++s) {
    const bool is_jacobi = smoother == Smoother::jacobi;
    const Real c1 = Real(is_jacobi ? 0 : factors.c1[s]), c2 = Real(is_jacobi ? 2. / 3 : factors.c2[s]);
    with_stencil(level, now, [&]<class Stencil>(const Stencil& stencil) {
      const PolynomialBody<Stencil> body{stencil, f.data(), level.inverse_diagonal.data(), next.data(), c1, c2};
      with_ghosts(exec, level, now, Phase::smooth,
                  [&](CellsOf<Exec> cells) { for_fluxes("smooth[polynomial]", exec, level, cells, body); });
    });
    std::swap(now, next);
  }
}
}  // namespace impl

/// Smoothings of a V-cycle: the same one before and after the coarser level, or its adjoint, which takes the colours of
/// Gauss-Seidel in reverse order; the others are their own.
enum class SmoothingOrder { forth, back };

/// Six sweeps on x: three of both colours of Gauss-Seidel, Chebyshev's polynomial of degree 6, or six of Jacobi with
/// weight 2/3. Uses the level's temp.
template <class Exec, class Real, class Vector>
void smooth(const Exec& exec, const Level<Exec, Real>& level, Smoother smoother, const Vector& x, const Vector& f,
            SmoothingOrder order = SmoothingOrder::forth) {
  if (smoother != Smoother::gsrb) return impl::polynomial(exec, level, smoother, x, f);
  impl::gauss_seidel(exec, level, x, f, order == SmoothingOrder::forth ? 0 : 1);
}

}  // namespace ashlar::multigrid
