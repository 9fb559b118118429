#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/multigrid/bicgstab.hpp>
#include <ashlar/multigrid/boundary.hpp>
#include <ashlar/multigrid/box_layout.hpp>
#include <ashlar/multigrid/impl/bottom_in_scratch.hpp>
#include <ashlar/multigrid/impl/cell_bodies.hpp>
#include <ashlar/multigrid/impl/crew.hpp>
#include <ashlar/multigrid/impl/for_each_cell.hpp>
#include <ashlar/multigrid/impl/ghost_kernels.hpp>
#include <ashlar/multigrid/impl/items.hpp>
#include <ashlar/multigrid/impl/partial_sums.hpp>
#include <ashlar/multigrid/impl/region_kernels.hpp>
#include <cstdint>
#include <type_traits>

namespace ashlar::multigrid::impl {

template <class Stencil, class Members>
class BottomTeam;

/// BiCGStab on a level of few cells, all of it by one team.
template <class Stencil>
struct BottomSolve {
  using Real = typename Stencil::Real;
  static constexpr bool is_for_crews = true;
  /// Of the level at most.
  static constexpr std::int64_t most_cells = 4096;

  StencilData<Real> data;  // of any vector
  BoxLayout layout;
  int num_boxes;
  Items<GhostCopy> copies;
  Items<BoundaryRegion> boundary;
  BoundaryWeights<Real> weights;
  const Real* inverse_diagonal;
  BicgstabVectors<Real*> vectors;
  double reduction;
  int max_iterations;
  std::int64_t* iterations;       // of all solves so far
  std::int64_t* iterations_told;  // the same for the host to read

  /// `crew` is one team.
  template <class Members>
  KOKKOS_FUNCTION void operator()(const Members& crew) const {
    const int made = solve(crew);
    if (crew.rank != 0) return;
    *iterations += made;
    *iterations_told = *iterations;
  }

  /// Returns the iterations made.
  template <class Members>
  KOKKOS_FUNCTION int solve(const Members& crew) const {
    if constexpr (std::is_same_v<Stencil, Fv4Stencil<Real>>) {
      using InScratch = BottomInScratch<Real, Members>;
      if (InScratch::serves(layout, num_boxes)) {
        const Stencil stencil{data};
        const InScratch team(crew, stencil, layout, weights, inverse_diagonal);
        team.copy(vectors.x, team.vectors.x);
        team.copy(vectors.f, team.vectors.f);
        const int made = bicgstab(team, reduction, max_iterations);
        team.copy(team.vectors.x, vectors.x);
        return made;
      }
    }
    return bicgstab(BottomTeam<Stencil, Members>{*this, crew, vectors}, reduction, max_iterations);
  }
};

/// How a team computes for bicgstab(). Each call ends with a meeting of the team, but for sums, of which each has its
/// own meetings.
template <class Stencil, class Members>
class BottomTeam {
 public:
  using Real = typename Stencil::Real;

  const BottomSolve<Stencil>& level;
  const Members& crew;
  const BicgstabVectors<Real*>& vectors;

  KOKKOS_FUNCTION void residual(Real* x, const Real* f, Real* r) const {
    fill_ghosts(x);
    at_cells(WithFluxes<ResidualBody<Stencil>>{{stencil_of(x), f, r}});
  }
  KOKKOS_FUNCTION void apply(Real* x, Real* y) const {
    fill_ghosts(x);
    at_cells(WithFluxes<ApplyBody<Stencil>>{{stencil_of(x), y}});
  }
  KOKKOS_FUNCTION void copy(const Real* x, Real* y) const { at_cells(CopyBody<Real>{x, y}); }
  KOKKOS_FUNCTION void precondition(const Real* x, Real* y) const {
    at_cells(MultiplyBody<Real>{level.inverse_diagonal, x, y});
  }
  KOKKOS_FUNCTION void combine(double a, const Real* x, double b, const Real* y, Real* out) const {
    at_cells(CombineBody<Real>{Real(a), Real(b), x, y, out});
  }
  KOKKOS_FUNCTION double dot(const Real* x, const Real* y) const {
    return reduce(DotBody<Real>{x, y}, [](double all, double one) { return all + one; });
  }
  KOKKOS_FUNCTION double norm(const Real* x) const {
    return reduce(NormBody<Real>{x}, [](double all, double one) { return one > all ? one : all; });
  }

 private:
  KOKKOS_FUNCTION Stencil stencil_of(const Real* x) const {
    Stencil stencil{level.data};
    stencil.data.x = x;
    return stencil;
  }

  template <class Body>
  KOKKOS_FUNCTION AtCells<false, ByPlace<Body>> cells(const Body& body) const {
    const int n = level.layout.dim;
    return {{body, level.layout}, {n, n, n}};
  }
  KOKKOS_FUNCTION std::int64_t num_cells() const {
    return std::int64_t(level.num_boxes) * level.layout.dim * level.layout.dim * level.layout.dim;
  }

  template <class Body>
  KOKKOS_FUNCTION void at_cells(const Body& body) const {
    crew.share(num_cells(), cells(body));
    crew.meet();
  }

  KOKKOS_FUNCTION void fill_ghosts(Real* x) const {
    const FillGhosts<Real> fill{x, level.layout, level.weights};
    AtRegions<Items<GhostCopy>, FillGhosts<Real>>{level.copies, fill}(crew);
    AtRegions<Items<BoundaryRegion>, FillGhosts<Real>>{level.boundary, fill}(crew);
    crew.meet();
  }

  template <class Body, class Join>
  KOKKOS_FUNCTION double reduce(const Body& body, const Join& join) const {
    constexpr int part = PartialSums<Members>::count, most = (crew_scratch_size - part) / part * part;
    PartialSums<Members> sums(crew, crew.scratch);
    double* const terms = crew.scratch + part;
    const auto at = cells(body);
    for (std::int64_t begin = 0; begin < num_cells(); begin += most) {
      const std::int64_t left = num_cells() - begin;
      const int count = left < most ? int(left) : most;
      crew.share(count, [&](std::int64_t i) {
        double one = 0;
        at(begin + i, one);
        terms[i] = one;
      });
      crew.meet();
      sums.add(begin, terms, count, join);
      crew.meet();
    }
    return sums.all(join);
  }
};

}  // namespace ashlar::multigrid::impl
