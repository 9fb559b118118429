#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/base/lists.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/multigrid/impl/for_each_tile.hpp>
#include <ashlar/multigrid/impl/plane_sweep.hpp>
#include <ashlar/multigrid/impl/region_kernels.hpp>
#include <ashlar/multigrid/level_vectors.hpp>
#include <ashlar/multigrid/stencil.hpp>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <string>
#include <vector>

namespace ashlar::multigrid {

/// All cells of a level, or a list of them.
template <class Exec>
using CellsOf = const Kokkos::View<CellRegion*, typename Exec::memory_space>*;

namespace impl {
/// body.update(cell) for cells of the level that are of the colour, body.keep(cell) for others; null: all.
template <class Exec, class Real, class Body>
void for_colour(const std::string& label, const Exec& exec, const Level<Exec, Real>& level, CellsOf<Exec> cells,
                int colour, const Body& body) {
  if (cells == nullptr) {
    for_each_of_colour(label, exec, level.num_boxes(), level.layout, level.parities, colour, body);
  } else {
    for_colour_in_regions(label, exec, *cells, level.layout, level.parities, colour, body);
  }
}

/// Calls a body that wants the sum of the fluxes into a cell for cells of the level; null: all, in the form that the
/// level has. By cells, and for a list, a GPU's thread computes the fluxes of its cell. On CPUs fluxes are computed by
/// rows, and each is used on both sides of its face.
template <class Exec, class Real, class Body>
void for_fluxes(const std::string& label, const Exec& exec, const Level<Exec, Real>& level, CellsOf<Exec> cells,
                const Body& body) {
  if constexpr (has_sweep_forms<Exec> && std::same_as<decltype(body.stencil), Fv4Stencil<Real>>) {
    if (cells == nullptr && level.sweeps == SweepForm::planes) {
      return sweep_planes(label, exec, level.num_boxes(), level.layout, level.parities, body);
    }
  }
  if constexpr (!is_gpu_v<Exec>) {
    const auto by_tiles = [&](const auto& tiles) {
      for_tiles_in_regions(label, exec, tiles, level.layout, level.parities, body);
    };
    if (cells == nullptr) {
      by_tiles(AllTiles::of(level.num_boxes(), level.layout.dim, exec.concurrency()));
    } else {
      by_tiles(*cells);
    }
  } else if constexpr (has_colour<Body>) {
    for_colour(label, exec, level, cells, body.colour, WithFluxes<Body>{body});
  } else if (cells == nullptr) {
    for_each_cell_by_neighbours(label, exec, level.num_boxes(), level.box_size(),
                                ByPlace<WithFluxes<Body>>{{body}, level.layout});
  } else {
    for_cells_in_regions(label, exec, *cells, level.layout, WithFluxes<Body>{body});
  }
}
}  // namespace impl

/// The order of the polynomials that the operator's ghost cells follow beyond the boundary.
template <class Exec, class Real>
BoundaryOrder operator_boundary_order(const Level<Exec, Real>& level) {
  return level.discretisation == Discretisation::fv2 ? BoundaryOrder::quadratic : BoundaryOrder::quartic;
}

/// Fills the ghost cells of x that the operator reads.
///
/// Async    enqueued on `exec`; no fence, no allocation. (The same is true of the functions below.)
template <class Exec, class Real, class Vector>
void fill_ghosts(const Exec& exec, const Level<Exec, Real>& level, const Vector& x) {
  level.timed(exec, Phase::exchange, [&] { level.fill_for_operator(exec, x, operator_boundary_order(level)); });
}

/// Fills them, and calls work(cells), which computes what depends on them: of all cells (null), or, where the level is
/// cut, of those that need no messages while these are on their way, and then of the others. Where phases are timed,
/// one by one, nothing is cut.
template <class Exec, class Real, class Vector, class Work>
void with_ghosts(const Exec& exec, const Level<Exec, Real>& level, const Vector& x, Phase phase, const Work& work) {
  if (!level.is_cut() || level.times != nullptr) {
    fill_ghosts(exec, level, x);
    level.timed(exec, phase, [&] { work(CellsOf<Exec>(nullptr)); });
    return;
  }
  level.fill_for_operator.beside(exec, x, operator_boundary_order(level), [&] { work(&level.interior); });
  work(&level.shell);
}

/// y := A x; the ghost cells of x are filled on the way.
template <class Exec, class Real, class Vector>
void apply(const Exec& exec, const Level<Exec, Real>& level, const Vector& x, const Vector& y) {
  with_ghosts(exec, level, x, Phase::residual, [&](CellsOf<Exec> cells) {
    with_stencil(level, x, [&]<class Stencil>(const Stencil& stencil) {
      impl::for_fluxes("ashlar::multigrid::apply", exec, level, cells, impl::ApplyBody<Stencil>{stencil, y.data()});
    });
  });
}

/// r := f - A x at these cells, for which the ghost cells of x have been filled; r may be f.
template <class Exec, class Real, class Vector>
void residual_at(const Exec& exec, const Level<Exec, Real>& level, CellsOf<Exec> cells, const Vector& x,
                 const Vector& f, const Vector& r) {
  with_stencil(level, x, [&]<class Stencil>(const Stencil& stencil) {
    impl::for_fluxes("ashlar::multigrid::residual", exec, level, cells,
                     impl::ResidualBody<Stencil>{stencil, f.data(), r.data()});
  });
}

/// r := f - A x; r may be f. The ghost cells of x are filled on the way.
template <class Exec, class Real, class Vector>
void residual(const Exec& exec, const Level<Exec, Real>& level, const Vector& x, const Vector& f, const Vector& r) {
  with_ghosts(exec, level, x, Phase::residual, [&](CellsOf<Exec> cells) { residual_at(exec, level, cells, x, f, r); });
}

namespace impl {
/// A coefficient of faces, extended beyond the domain by a polynomial along the one direction that leads out: the first
/// layer only, which is all that an operator reads.
template <class Real>
struct ExtrapolateFaces {
  Real* beta;
  BoxLayout layout;

  KOKKOS_FUNCTION void operator()(const BoundaryRegion& region, int i, int j, int k) const {
    const int cell[3] = {region.begin[0] + i, region.begin[1] + j, region.begin[2] + k};
    int d = 0;
    while (region.outside[d] == 0) ++d;
    const bool is_low = region.outside[d] < 0;
    if (cell[d] != (is_low ? -1 : layout.dim)) return;
    const std::int64_t at = layout.at(region.box, cell[0], cell[1], cell[2]);
    const std::int64_t inwards = is_low ? layout.stride(d) : -layout.stride(d);
    const auto x = [&](int depth) { return beta[at + depth * inwards]; };
    if (layout.dim >= 5) {
      beta[at] = 5 * x(1) - 10 * x(2) + 10 * x(3) - 5 * x(4) + x(5);
    } else if (layout.dim == 4) {
      beta[at] = 4 * x(1) - 6 * x(2) + 4 * x(3) - x(4);
    } else if (layout.dim >= 2) {
      beta[at] = 2 * x(1) - x(2);
    } else {
      beta[at] = x(1);
    }
  }
};
}  // namespace impl

/// Makes the ghost cells of the level's coefficients, which have been set at each box's own cells and on the domain's
/// high faces.
///
/// Collective.
///
/// Async    waits for `exec`, and allocates: it is set-up. (The same is true of the next.)
template <class Exec, class Real>
void fill_coefficient_ghosts(const Exec& exec, const Level<Exec, Real>& level) {
  for (int d = 0; d < 3; ++d) {
    const GhostPlan plan = make_ghost_plan(level.grid, level.layout.ghosts, GhostShape::no_corners, d);
    // Once: what other modes need is not worth making.
    const GhostFill<Exec, Real> fill(exec, level.layout, plan, *level.comm, {.mode = ExchangeMode::blocking});
    fill.exchange(exec, level.beta[d]);
    if (level.discretisation == Discretisation::fv2) continue;
    // Also beside boxes: a box reads the coefficients of the face that it shares with the next one along that face.
    std::vector<BoundaryRegion> regions;
    for (const auto* of_plan : {&plan.boundary, &plan.beside_boxes}) {
      for (const BoundaryRegion& region : *of_plan) {
        const Index3& outside = region.outside;
        const int directions = outside[0] * outside[0] + outside[1] * outside[1] + outside[2] * outside[2];
        if (outside[d] == 0 && directions == 1) regions.push_back(region);
      }
    }
    impl::for_each_region("ashlar::multigrid::extrapolate", exec,
                          ashlar::impl::view_from(exec, "ashlar::multigrid::extrapolated", regions),
                          impl::ExtrapolateFaces<Real>{level.beta[d].data(), level.layout});
  }
  exec.fence("ashlar::multigrid: coefficients");
}

/// Finds the level's diagonal, boundary conditions included, and a bound of the largest eigenvalue of the matrix that
/// is scaled by it, by applying the operator to vectors of 0 and 1. Uses the level's u, r and temp.
///
/// Throws   NumericalError, on all ranks alike, where the diagonal is not positive.
template <class Exec, class Real>
void find_diagonal(const Exec& exec, Level<Exec, Real>& level) {
  // Cells of one colour are too far apart for the operator to reach from one to the other.
  const int colours = std::min(level.discretisation == Discretisation::fv2 ? 2 : 4, level.grid.cells_per_dim());
  Kokkos::deep_copy(exec, level.r, 0.0);
  using Colour = impl::ColourBody<decltype(level.origins), Real>;
  for (int number = 0; number < colours * colours * colours; ++number) {
    const Index3 which{number % colours, number / colours % colours, number / (colours * colours)};
    const Colour colour{level.origins, level.layout, colours, which, level.u.data()};
    impl::for_each_cell("ashlar::multigrid::colour", exec, level.num_boxes(), level.box_size(), colour);
    apply(exec, level, level.u, level.temp);
    impl::for_each_cell("ashlar::multigrid::probe", exec, level.num_boxes(), level.box_size(),
                        impl::ProbeBody<decltype(level.origins), Real>{colour, level.temp.data(),
                                                                       level.inverse_diagonal.data(), level.r.data()});
  }
  double largest = 0;
  impl::reduce_cells(
      "ashlar::multigrid::invert_diagonal", exec, level.num_boxes(), level.box_size(),
      impl::ByPlace<impl::InvertBody<Real>>{{level.inverse_diagonal.data(), level.r.data()}, level.layout},
      Kokkos::Max<double>(largest));
  largest = level.max_over_ranks(level.num_boxes() == 0 ? 0 : largest);
  if (!is_finite(largest)) {
    throw NumericalError(text("multigrid: level ", level.number, " has a diagonal that is not positive"),
                         "smoothers divide by it", "give coefficients that are positive and finite");
  }
  level.largest_eigenvalue = largest;
  Kokkos::deep_copy(exec, level.u, 0.0);
  Kokkos::deep_copy(exec, level.r, 0.0);
  Kokkos::deep_copy(exec, level.temp, 0.0);
  exec.fence("ashlar::multigrid: diagonal");
}

}  // namespace ashlar::multigrid
