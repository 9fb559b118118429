#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/multigrid/boundary.hpp>
#include <ashlar/multigrid/box_grid.hpp>
#include <ashlar/multigrid/box_layout.hpp>
#include <ashlar/multigrid/impl/crew.hpp>
#include <ashlar/multigrid/impl/scratch_tiles.hpp>
#include <ashlar/multigrid/stencil.hpp>
#include <type_traits>

/// A level of one small box whose vectors are in the scratch memory of a team, laid out as ever, while the team
/// computes with fv4; or of a larger one, of which each team has a tile. There a step of a visit of its own takes
/// longer than what it does.
namespace ashlar::multigrid::impl {

/// make(i) for each i < count, which is not 0, dealt to the members of a team. Each keeps its first, so that it makes
/// nothing again where there are as many members as things. A wide team has no more of them than threads.
template <class Members, class Make>
class Dealt {
 public:
  using Thing = std::invoke_result_t<const Make&, int>;

  KOKKOS_FUNCTION Dealt(const Members& crew, int count, const Make& make)
      : crew_(crew), count_(count), make_(make), first_(make(crew.thread < count ? crew.thread : count - 1)) {}

  template <class Work>
  KOKKOS_FUNCTION void for_each(const Work& work) const {
    if (crew_.thread >= count_) return;
    work(first_);
    // (A second place to call it from would keep what a thread has out of its registers.)
    if constexpr (!Members::is_wide) {
      for (int i = crew_.thread + crew_.num_threads; i < count_; i += crew_.num_threads) work(make_(i));
    }
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
  int at, here;  // its places in the vectors of the level, and in scratch memory
  FaceOfFv4<Real> low[3], high[3];

  KOKKOS_FUNCTION CellInScratch(const Fv4Stencil<Real>& stencil, const BoxLayout& layout, int place,
                                int place_in_scratch)
      : at(place),
        here(place_in_scratch),
        low{stencil.template face<0>(at), stencil.template face<1>(at), stencil.template face<2>(at)},
        high{stencil.template face<0>(at + 1), stencil.template face<1>(at + layout.row()),
             stencil.template face<2>(at + layout.plane())} {}

  /// What flows into it, for a vector in scratch memory whose ghost cells have been filled.
  KOKKOS_FUNCTION Real fluxes(const Real* x, const BoxLayout& in_scratch) const {
    const Real* const cell = x + here;
    const int row = in_scratch.row(), plane = in_scratch.plane();
    return fv4_fluxes(low, high, [&](int i, int j, int k) { return cell[i + j * row + k * plane]; });
  }
};

/// Two ghost cells beyond a face, or two by two beyond an edge, which follow from the same cells within.
struct GhostsInScratch {
  int first;       // the cell nearest to them; -1: there are none
  int inwards[2];  // from it to the next, by direction that leads out; of a face the second is 0

  /// Fills them: from `points` cells in each direction, in the order of additions of ExtendedCell.
  template <int points, class Real>
  KOKKOS_FUNCTION void fill(Real* x, const BoundaryWeights<Real>& weights) const {
    if (first < 0) return;
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

/// All that the operator reads at the cells of a team's tiles, by number: tile by tile those beyond faces, then those
/// beyond edges. Beyond a face that is as much wider on each side as the operator reads along it: what follows there
/// from a cell of another tile.
template <class Tiles>
struct MakeGhostsInScratch {
  Tiles tiles;
  int team, num_teams;

  // A tile that is not all of the box touches one of its sides in each direction at most, and has cells around it.
  static constexpr int sides = Tiles::is_one ? 2 : 1, margin = Tiles::is_one ? 0 : 1;

  KOKKOS_FUNCTION int width_of_face() const { return tiles.width + 2 * margin; }
  KOKKOS_FUNCTION int num_of_faces() const { return 3 * sides * width_of_face() * width_of_face(); }
  KOKKOS_FUNCTION int count_of_tile() const { return num_of_faces() + 3 * sides * sides * tiles.width; }
  KOKKOS_FUNCTION int count() const { return tiles.count_of(team, num_teams) * count_of_tile(); }

  KOKKOS_FUNCTION GhostsInScratch operator()(int number) const {
    const int slot = tiles.slot_of(number, count_of_tile()), n = number - slot * count_of_tile();
    const Index3 first = tiles.first(team + slot * num_teams);
    const BoxLayout layout = tiles.layout();
    // Whether the tile is at this side, 0 or 1, of the box.
    const auto is_at = [&](int d, int side) {
      if constexpr (Tiles::is_one) return true;
      return side == 0 ? first[d] == 0 : first[d] + tiles.width >= tiles.dim;
    };
    const auto side_of = [&](int d, int of_two) { return Tiles::is_one ? of_two : is_at(d, 0) ? 0 : 1; };
    const auto end_of = [&](int d, int side) { return side == 0 ? 0 : tiles.dim - 1 - first[d]; };
    const auto inwards = [&](int d, int side) { return int(side == 0 ? layout.stride(d) : -layout.stride(d)); };
    // (Scalars: an array with a place that is known late would lie in memory.)
    int i = 0, j = 0, k = 0;
    const auto set = [&](int d, int to) { (d == 0 ? i : d == 1 ? j : k) = to; };
    GhostsInScratch ghosts{0, {0, 0}};
    bool exist = false;
    if (n < num_of_faces()) {
      const int width = width_of_face(), face = n / (width * width);
      const int d = face / sides, side = side_of(d, face % sides);
      set(d, end_of(d, side));
      set((d + 1) % 3, n % width - margin);
      set((d + 2) % 3, n / width % width - margin);
      ghosts.inwards[0] = inwards(d, side);
      exist = is_at(d, side);
    } else {
      const int edge = (n - num_of_faces()) / tiles.width, along = edge / (sides * sides);
      const int d = along == 0 ? 1 : 0, e = along == 2 ? 1 : 2;  // the directions that lead out, in order
      const int side_d = side_of(d, edge % sides), side_e = side_of(e, edge / sides % sides);
      set(along, (n - num_of_faces()) % tiles.width);
      set(d, end_of(d, side_d));
      set(e, end_of(e, side_e));
      ghosts.inwards[0] = inwards(d, side_d);
      ghosts.inwards[1] = inwards(e, side_e);
      exist = is_at(d, side_d) && is_at(e, side_e);
    }
    exist = exist && tiles.is_in_box(first[0] + i, first[1] + j, first[2] + k);
    ghosts.first = exist ? slot * int(layout.volume()) + int(layout.at(0, i, j, k)) : -1;
    return ghosts;
  }
};

/// Of a tile, at most: of one tile; several have fewer.
inline constexpr int most_ghosts_in_scratch =
    6 * widest_tile_in_scratch * widest_tile_in_scratch + 12 * widest_tile_in_scratch;

}  // namespace ashlar::multigrid::impl
