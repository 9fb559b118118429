#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/multigrid/box_grid.hpp>
#include <ashlar/multigrid/impl/box_in_scratch.hpp>
#include <ashlar/multigrid/impl/cell_bodies.hpp>
#include <ashlar/multigrid/impl/for_each_cell.hpp>
#include <ashlar/multigrid/impl/ghost_kernels.hpp>
#include <ashlar/multigrid/impl/region_kernels.hpp>
#include <ashlar/multigrid/impl/thread_group.hpp>
#include <ashlar/multigrid/stencil.hpp>
#include <cstdint>
#include <type_traits>

namespace ashlar::multigrid {

/// The vectors of a solve by BiCGStab: the solution, the right-hand side, and scratch memory.
template <class Vector>
struct BicgstabVectors {
  Vector x, f;
  Vector r, r0, p, preconditioned, ap, as;
};

/// BiCGStab with the inverse diagonal as its preconditioner: solves A x = f from x on, until max |f - A x| is less than
/// `reduction` times its first value. Returns the iterations made.
///
/// It decides and calls; `work` computes, for vectors `work.vectors`: on the host, by kernels, or all of it within one
/// kernel, where each thread of a team calls this. The coarsest level cannot call krylov's bicgstab(): that enqueues
/// kernels of whole grids and keeps its scalars in device memory, while here a team solves within a kernel that may be
/// a part of a larger one. It also stops by the maximum norm, which any number of threads finds with the same bits.
///
/// Source   van der Vorst 1992, "Bi-CGSTAB: a fast and smoothly converging variant of Bi-CG".
#ifdef KOKKOS_ENABLE_CUDA
#pragma nv_exec_check_disable
#endif
template <class Work>
KOKKOS_FUNCTION int bicgstab(const Work& work, double reduction, int max_iterations) {
  const auto& [x, f, r, r0, p, preconditioned, ap, as] = work.vectors;
  const auto& s = r;  // takes the place of r in the middle of an iteration
  work.residual(x, f, r0);
  work.copy(r0, r);
  work.copy(r0, p);
  double r_r0 = work.dot(r, r0);
  const double target = reduction * work.norm(r0);
  if (r_r0 == 0 || target == 0) return 0;
  int iterations = 0;
  while (iterations < max_iterations) {
    ++iterations;
    work.precondition(p, preconditioned);
    work.apply(preconditioned, ap);
    const double ap_r0 = work.dot(ap, r0);
    const double alpha = r_r0 / ap_r0;
    if (ap_r0 == 0 || !is_finite(alpha)) break;
    work.combine(1, x, alpha, preconditioned, x);
    work.combine(1, r, -alpha, ap, s);
    if (const double left = work.norm(s); left <= 0 || left < target) break;

    work.precondition(s, preconditioned);
    work.apply(preconditioned, as);
    const double as_as = work.dot(as, as), as_s = work.dot(as, s);
    const double omega = as_s / as_as;
    if (as_as == 0 || omega == 0 || !is_finite(omega)) break;
    work.combine(1, x, omega, preconditioned, x);
    work.combine(1, s, -omega, as, r);
    if (const double left = work.norm(r); left <= 0 || left < target) break;

    const double before = r_r0;
    r_r0 = work.dot(r, r0);
    const double beta = (r_r0 / before) * (alpha / omega);
    if (r_r0 == 0 || !is_finite(beta)) break;
    work.combine(1, p, -omega, ap, p);
    work.combine(1, r, beta, p, p);
  }
  return iterations;
}

}  // namespace ashlar::multigrid

namespace ashlar::multigrid::impl {

/// From the first own cell of a box to the last, where rows and their ghost cells have so many.
KOKKOS_INLINE_FUNCTION constexpr int span_of_cells(int dim, int row) { return (dim - 1) * (row * row + row + 1) + 1; }

/// How a team computes for bicgstab() on a level of one box so small that all vectors are in its scratch memory.
/// Members have their own cells, and need barriers only if they read the cells of others.
template <class Real, class Members>
class BottomInScratch {
 public:
  static constexpr int most_dim = 5, ghosts = 2;

  BicgstabVectors<Real*> vectors;

  /// The level has a size for it, and one box.
  KOKKOS_FUNCTION static bool serves(const BoxLayout& layout, int num_boxes) {
    // (From 2 cells on the boundary's polynomial has 2 or 4 points.)
    return num_boxes == 1 && layout.dim >= 2 && layout.dim <= most_dim && layout.ghosts == ghosts;
  }

  KOKKOS_FUNCTION BottomInScratch(const Members& group, const Fv4Stencil<Real>& stencil, const BoxLayout& layout,
                                  const BoundaryWeights<Real>& weights, const Real* inverse_diagonal)
      : group_(group),
        stencil_(stencil),
        layout_(layout),
        weights_(weights),
        inverse_diagonal_(inverse_diagonal),
        num_cells_(layout.dim * layout.dim * layout.dim),
        cells_(group, num_cells_, MakeCell{stencil, layout}),
        ghosts_(group, make_ghosts(layout).count(), make_ghosts(layout)) {
    // First where sums have their parts and terms, and the two to which the operator is applied. Of the others nobody
    // reads a ghost cell: there they lie upon each other.
    terms_ = group.scratch + PartialSums<Members>::count;
    Real* const x = reinterpret_cast<Real*>(terms_ + 2 * num_cells_);
    Real* const preconditioned = x + layout.volume();
    Real* const others = preconditioned + layout.volume() - layout.at(0, 0, 0, 0);
    const auto other = [&](int number) { return others + number * span_of_cells(layout.dim, layout.row()); };
    vectors = {x, other(0), other(1), other(2), other(3), preconditioned, other(4), other(5)};
  }

  /// y := x, the cells of each member by itself.
  KOKKOS_FUNCTION void copy(const Real* x, Real* y) const {
    cells_.for_each([&](const CellInScratch<Real>& cell) { y[cell.at] = x[cell.at]; });
  }
  KOKKOS_FUNCTION void residual(Real* x, const Real* f, Real* r) const {
    fill_ghosts(x);
    cells_.for_each([&](const CellInScratch<Real>& cell) { r[cell.at] = f[cell.at] - applied_to(x, cell); });
  }
  KOKKOS_FUNCTION void apply(Real* x, Real* y) const {
    fill_ghosts(x);
    cells_.for_each([&](const CellInScratch<Real>& cell) { y[cell.at] = applied_to(x, cell); });
  }
  KOKKOS_FUNCTION void precondition(const Real* x, Real* y) const {
    cells_.for_each([&](const CellInScratch<Real>& cell) { y[cell.at] = inverse_diagonal_[cell.at] * x[cell.at]; });
  }
  KOKKOS_FUNCTION void combine(double a, const Real* x, double b, const Real* y, Real* out) const {
    cells_.for_each(
        [&](const CellInScratch<Real>& cell) { out[cell.at] = Real(a) * x[cell.at] + Real(b) * y[cell.at]; });
  }
  KOKKOS_FUNCTION double dot(const Real* x, const Real* y) const {
    return reduce([&](const CellInScratch<Real>& cell) { return double(x[cell.at]) * double(y[cell.at]); },
                  [](double all, double one) { return all + one; });
  }
  /// The norm of a vector with NaN is infinite: a comparison would pass over it.
  KOKKOS_FUNCTION double norm(const Real* x) const {
    return reduce(
        [&](const CellInScratch<Real>& cell) {
          const double size = Kokkos::abs(x[cell.at]);
          return is_finite(size) ? size : Kokkos::Experimental::infinity_v<double>;
        },
        [](double all, double one) { return one > all ? one : all; });
  }

 private:
  struct Cell : CellInScratch<Real> {
    int number;
  };

  struct MakeCell {
    const Fv4Stencil<Real>& stencil;
    const BoxLayout& layout;

    KOKKOS_FUNCTION Cell operator()(int number) const {
      const int n = layout.dim;
      const int at = int(layout.at(0, number % n, number / n % n, number / (n * n)));
      return {CellInScratch<Real>(stencil, layout, at, at), number};
    }
  };

  using MakeGhosts = MakeGhostsInScratch<OneScratchTile>;
  KOKKOS_FUNCTION static MakeGhosts make_ghosts(const BoxLayout& layout) { return {OneScratchTile(layout.dim), 0, 1}; }

  KOKKOS_FUNCTION Real applied_to(const Real* x, const CellInScratch<Real>& cell) const {
    return applied(stencil_, cell.at, x[cell.at], cell.fluxes(x, layout_));
  }

  KOKKOS_FUNCTION void fill_ghosts(Real* x) const {
    group_.barrier();
    if (weights_.points == 4) {
      ghosts_.for_each([&](const GhostsInScratch& ghosts) { ghosts.fill<4>(x, weights_); });
    } else {
      ghosts_.for_each([&](const GhostsInScratch& ghosts) { ghosts.fill<2>(x, weights_); });
    }
    group_.barrier();
  }

  /// Terms go to two buffers alternately, so that nobody writes where others still read.
  template <class Term, class Join>
  KOKKOS_FUNCTION double reduce(const Term& term, const Join& join) const {
    PartialSums<Members> sums(group_, group_.scratch);
    is_second_ = !is_second_;
    double* const terms = terms_ + (is_second_ ? num_cells_ : 0);
    cells_.for_each([&](const Cell& cell) { terms[cell.number] = term(cell); });
    group_.barrier();
    sums.add(0, terms, num_cells_, join);
    return sums.all(join);
  }

  const Members& group_;
  const Fv4Stencil<Real>& stencil_;
  const BoxLayout& layout_;
  const BoundaryWeights<Real>& weights_;
  const Real* inverse_diagonal_;
  int num_cells_;
  double* terms_;  // of two sums
  mutable bool is_second_ = false;
  Distributed<Members, MakeCell> cells_;
  Distributed<Members, MakeGhosts> ghosts_;
};

// For most_dim: parts and terms of sums, and vectors.
static_assert(32 + 2 * 5 * 5 * 5 + 2 * 9 * 9 * 9 + 6 * span_of_cells(5, 9) <= scratch_size_of_team);

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
