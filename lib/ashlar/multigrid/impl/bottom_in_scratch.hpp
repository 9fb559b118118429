#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/multigrid/box_grid.hpp>
#include <ashlar/multigrid/impl/bicgstab.hpp>
#include <ashlar/multigrid/impl/box_in_scratch.hpp>
#include <ashlar/multigrid/impl/thread_group.hpp>
#include <ashlar/multigrid/stencil.hpp>

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

}  // namespace ashlar::multigrid::impl
