#pragma once

#include <array>
#include <ashlar/multigrid/impl/border_body.hpp>
#include <ashlar/multigrid/impl/march_both_colours.hpp>
#include <ashlar/multigrid/impl/relax_in_scratch.hpp>
#include <ashlar/multigrid/impl/step_recorder.hpp>
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

/// The cells of `colour` in the borders of boxes, which march_both_colours() leaves as they were when it makes `temp`
/// of x. The ghost cells of `temp` have been filled since.
///
/// Async    enqueued on `exec`; no fence, no allocation.
template <class Exec, class Real, class Vector>
void relax_borders(const Exec& exec, const Level<Exec, Real>& level, const Vector& x, const Vector& temp,
                   const Vector& f, int colour) {
  using Relax = impl::RelaxBody<Fv4Stencil<Real>>;
  const Relax body{{level.stencil_data(x)}, f.data(), level.inverse_diagonal.data(), temp.data(), colour};
  impl::for_each_region("ashlar::multigrid::smooth[gsrb, borders]", exec, level.borders,
                        impl::RelaxBorderBody<Relax, decltype(level.parities)>{body, level.layout, level.parities});
}

/// Half sweeps of `colour` and then of the other, with fv4: the first and most of the second in one pass, then the
/// borders of the boxes, whose ghost cells are filled between. The same bits as two half sweeps. What was made is in x,
/// which is swapped with `temp`.
template <class Exec, class Real, class Vector>
void gauss_seidel_sweep(const Exec& exec, const Level<Exec, Real>& level, Vector& x, Vector& temp, const Vector& f,
                        int colour) {
  const impl::RelaxBody<Fv4Stencil<Real>> body{
      {level.stencil_data(x)}, f.data(), level.inverse_diagonal.data(), temp.data(), colour};
  fill_ghosts(exec, level, x);
  level.timed(exec, Phase::smooth, [&] {
    impl::march_both_colours("ashlar::multigrid::smooth[gsrb, both colours]", exec, level.num_boxes(),
                             level.grid.cells_per_dim(), level.layout, level.parities, level.origins, body);
  });
  fill_ghosts(exec, level, temp);
  level.timed(exec, Phase::smooth, [&] { relax_borders(exec, level, x, temp, f, 1 - colour); });
  std::swap(x, temp);
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

/// Half sweeps of both colours in turns, beginning with `first`. The result is in x, which may have been swapped with
/// `temp`: not where the last result `stays` in x's own memory, for which the last two half sweeps are two passes.
template <class Exec, class Real, class Vector>
void gauss_seidel(const Exec& exec, const Level<Exec, Real>& level, Vector& x, Vector& temp, const Vector& f, int first,
                  bool stays) {
  if (relax_in_scratch(exec, level, x, f, first, static_cast<const Level<Exec, Real>*>(nullptr))) return;
  int done = 0;
  if constexpr (has_sweep_forms<Exec>) {
    if (level.sweeps == SweepForm::both_colours && !level.is_cut() && StepRecorder::current() == nullptr) {
      static_assert(num_sweeps % 4 == 2);
      for (; done < (stays ? num_sweeps - 2 : num_sweeps); done += 2) {
        gauss_seidel_sweep(exec, level, x, temp, f, first);
      }
    }
  }
  for (; done < num_sweeps; ++done) gauss_seidel_half_sweep(exec, level, x, temp, f, (first + done) % 2);
}

/// Chebyshev's polynomial of degree 6, or six sweeps of Jacobi with weight 2/3.
template <class Exec, class Real, class Vector>
void polynomial(const Exec& exec, const Level<Exec, Real>& level, Smoother smoother, const Vector& x,
                const Vector& temp, const Vector& f) {
  Vector now = x, next = temp;
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
/// weight 2/3. The result is in x, which has been swapped with `temp` where that is another memory; after two such
/// calls it is in the first again.
template <class Exec, class Real, class Vector>
void smooth_between(const Exec& exec, const Level<Exec, Real>& level, Smoother smoother, SmoothingOrder order,
                    Vector& x, Vector& temp, const Vector& f) {
  if (smoother != Smoother::gsrb) return impl::polynomial(exec, level, smoother, x, temp, f);
  impl::gauss_seidel(exec, level, x, temp, f, order == SmoothingOrder::forth ? 0 : 1, false);
}

/// The same, forth, and r := f - A x after it, in what is then `temp`.
template <class Exec, class Real, class Vector>
void smooth_and_find_residual(const Exec& exec, const Level<Exec, Real>& level, Smoother smoother, Vector& x,
                              Vector& temp, const Vector& f) {
  smooth_between(exec, level, smoother, SmoothingOrder::forth, x, temp, f);
  residual(exec, level, x, f, temp);
}

/// The same as smooth_between() in x's own memory. Uses the level's temp.
template <class Exec, class Real, class Vector>
void smooth(const Exec& exec, const Level<Exec, Real>& level, Smoother smoother, const Vector& x, const Vector& f,
            SmoothingOrder order = SmoothingOrder::forth) {
  if (smoother != Smoother::gsrb) return impl::polynomial(exec, level, smoother, x, level.temp, f);
  Vector now = x, temp = level.temp;
  impl::gauss_seidel(exec, level, now, temp, f, order == SmoothingOrder::forth ? 0 : 1, true);
}

}  // namespace ashlar::multigrid
