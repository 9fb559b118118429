#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/multigrid/box_grid.hpp>
#include <ashlar/multigrid/impl/bicgstab.hpp>
#include <ashlar/multigrid/impl/bottom_in_scratch.hpp>
#include <ashlar/multigrid/impl/cell_bodies.hpp>
#include <ashlar/multigrid/impl/for_each_cell.hpp>
#include <ashlar/multigrid/impl/ghost_kernels.hpp>
#include <ashlar/multigrid/impl/region_kernels.hpp>
#include <ashlar/multigrid/impl/thread_group.hpp>
#include <ashlar/multigrid/stencil.hpp>
#include <cstdint>
#include <type_traits>

namespace ashlar::multigrid::impl {

template <class Stencil, class Members>
class BottomTeam;

/// BiCGStab on a level of few cells, all of it by one team.
template <class Stencil>
struct BottomSolve {
  using Real = typename Stencil::Real;
  static constexpr bool is_for_groups = true;
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

  /// `group` is one team.
  template <class Members>
  KOKKOS_FUNCTION void operator()(const Members& group) const {
    const int made = solve(group);
    if (group.rank != 0) return;
    *iterations += made;
    *iterations_told = *iterations;
  }

  /// Returns the iterations made.
  template <class Members>
  KOKKOS_FUNCTION int solve(const Members& group) const {
    if constexpr (std::is_same_v<Stencil, Fv4Stencil<Real>>) {
      using InScratch = BottomInScratch<Real, Members>;
      if (InScratch::serves(layout, num_boxes)) {
        const Stencil stencil{data};
        const InScratch team(group, stencil, layout, weights, inverse_diagonal);
        team.copy(vectors.x, team.vectors.x);
        team.copy(vectors.f, team.vectors.f);
        const int made = bicgstab(team, reduction, max_iterations);
        team.copy(team.vectors.x, vectors.x);
        return made;
      }
    }
    return bicgstab(BottomTeam<Stencil, Members>{*this, group, vectors}, reduction, max_iterations);
  }
};

/// Computes for bicgstab() by a team. Each call ends with a barrier of the team; sums have their own barriers.
template <class Stencil, class Members>
class BottomTeam {
 public:
  using Real = typename Stencil::Real;

  const BottomSolve<Stencil>& level;
  const Members& group;
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
    group.share(num_cells(), cells(body));
    group.barrier();
  }

  KOKKOS_FUNCTION void fill_ghosts(Real* x) const {
    const FillGhosts<Real> fill{x, level.layout, level.weights};
    AtRegions<Items<GhostCopy>, FillGhosts<Real>>{level.copies, fill}(group);
    AtRegions<Items<BoundaryRegion>, FillGhosts<Real>>{level.boundary, fill}(group);
    group.barrier();
  }

  template <class Body, class Join>
  KOKKOS_FUNCTION double reduce(const Body& body, const Join& join) const {
    constexpr int part = PartialSums<Members>::count, most = (scratch_size_of_team - part) / part * part;
    PartialSums<Members> sums(group, group.scratch);
    double* const terms = group.scratch + part;
    const auto at = cells(body);
    for (std::int64_t begin = 0; begin < num_cells(); begin += most) {
      const std::int64_t left = num_cells() - begin;
      const int count = left < most ? int(left) : most;
      group.share(count, [&](std::int64_t i) {
        double one = 0;
        at(begin + i, one);
        terms[i] = one;
      });
      group.barrier();
      sums.add(begin, terms, count, join);
      group.barrier();
    }
    return sums.all(join);
  }
};

}  // namespace ashlar::multigrid::impl
