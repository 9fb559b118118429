#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/multigrid/boundary.hpp>
#include <ashlar/multigrid/box_grid.hpp>
#include <ashlar/multigrid/box_layout.hpp>
#include <ashlar/multigrid/impl/crew.hpp>
#include <ashlar/multigrid/stencil.hpp>
#include <type_traits>

/// A level of one small box whose vectors are in the scratch memory of a team, laid out as ever, while the team
/// computes with fv4. There a step of a visit of its own takes longer than what it does.
namespace ashlar::multigrid::impl {

/// make(i) for each i < count, dealt to the members of a crew. Each keeps its first, so that it makes nothing again
/// where there are as many members as things.
template <class Members, class Make>
class Dealt {
 public:
  using Thing = std::invoke_result_t<const Make&, int>;

  KOKKOS_FUNCTION Dealt(const Members& crew, int count, const Make& make)
      : crew_(crew), count_(count), make_(make), first_(make(crew.rank < count ? crew.rank : count - 1)) {}

  template <class Work>
  KOKKOS_FUNCTION void for_each(const Work& work) const {
    if (crew_.rank >= count_) return;
    work(first_);
    for (int i = crew_.rank + crew_.size; i < count_; i += crew_.size) work(make_(i));
  }

 private:
  const Members& crew_;
  int count_;
  Make make_;
  Thing first_;
};

/// What the operator has to do with a cell of the box besides its x.
template <class Real>
struct CellInScratch {
  int at;  // its place
  FaceOfFv4<Real> low[3], high[3];

  KOKKOS_FUNCTION CellInScratch(const Fv4Stencil<Real>& stencil, const BoxLayout& layout, int i, int j, int k)
      : at(int(layout.at(0, i, j, k))),
        low{stencil.template face<0>(at), stencil.template face<1>(at), stencil.template face<2>(at)},
        high{stencil.template face<0>(at + 1), stencil.template face<1>(at + layout.row()),
             stencil.template face<2>(at + layout.plane())} {}

  /// What flows into it, for a vector whose ghost cells have been filled.
  KOKKOS_FUNCTION Real fluxes(const Real* x, const BoxLayout& layout) const {
    const Real* const here = x + at;
    const int row = layout.row(), plane = layout.plane();
    return fv4_fluxes(low, high, [&](int i, int j, int k) { return here[i + j * row + k * plane]; });
  }
};

/// Two ghost cells beyond a face, or two by two beyond an edge, which follow from the same cells within.
struct GhostsInScratch {
  int first;       // the cell nearest to them
  int inwards[2];  // from it to the next, by direction that leads out; of a face the second is 0

  /// Fills them: from `points` cells in each direction, in the order of additions of ExtendedCell.
  template <int points, class Real>
  KOKKOS_FUNCTION void fill(Real* x, const BoundaryWeights<Real>& weights) const {
    Real* const cell = x + first;
    const int d = inwards[0], e = inwards[1];
    const auto extended = [&](const Real(&from)[points], int depth) {
      Real result = 0;
      for (int p = 0; p < points; ++p) result += weights.of[depth][p] * from[p];
      return result;
    };
    Real from[points];
    if (e == 0) {
      for (int p = 0; p < points; ++p) from[p] = cell[p * d];
      for (int depth = 0; depth < 2; ++depth) cell[-(depth + 1) * d] = extended(from, depth);
      return;
    }
    Real within[2][points];  // by depth in the second direction, at the places in the first
    for (int p = 0; p < points; ++p) {
      for (int q = 0; q < points; ++q) from[q] = cell[p * d + q * e];
      for (int depth = 0; depth < 2; ++depth) within[depth][p] = extended(from, depth);
    }
    for (int depth_e = 0; depth_e < 2; ++depth_e) {
      for (int depth_d = 0; depth_d < 2; ++depth_d) {
        cell[-(depth_d + 1) * d - (depth_e + 1) * e] = extended(within[depth_e], depth_d);
      }
    }
  }
};

/// All that the operator reads, by number: those beyond faces, then those beyond edges.
struct MakeGhostsInScratch {
  BoxLayout layout;

  KOKKOS_FUNCTION int num_of_faces() const { return 6 * layout.dim * layout.dim; }
  KOKKOS_FUNCTION int count() const { return num_of_faces() + 12 * layout.dim; }

  KOKKOS_FUNCTION GhostsInScratch operator()(int number) const {
    const int n = layout.dim;
    const auto first_of = [&](int side) { return side == 0 ? 0 : n - 1; };
    const auto inwards = [&](int d, int side) { return int(side == 0 ? layout.stride(d) : -layout.stride(d)); };
    // (Scalars: an array with a place that is known late would lie in memory.)
    int i = 0, j = 0, k = 0;
    const auto set = [&](int d, int to) { (d == 0 ? i : d == 1 ? j : k) = to; };
    GhostsInScratch ghosts{0, {0, 0}};
    if (number < num_of_faces()) {
      const int face = number / (n * n), d = face / 2, side = face % 2;
      set(d, first_of(side));
      set((d + 1) % 3, number % n);
      set((d + 2) % 3, number / n % n);
      ghosts.inwards[0] = inwards(d, side);
    } else {
      const int edge = (number - num_of_faces()) / n, along = edge / 4;
      const int d = along == 0 ? 1 : 0, e = along == 2 ? 1 : 2;  // the directions that lead out, in order
      set(along, (number - num_of_faces()) % n);
      set(d, first_of(edge % 2));
      set(e, first_of(edge / 2 % 2));
      ghosts.inwards[0] = inwards(d, edge % 2);
      ghosts.inwards[1] = inwards(e, edge / 2 % 2);
    }
    ghosts.first = int(layout.at(0, i, j, k));
    return ghosts;
  }
};

}  // namespace ashlar::multigrid::impl
