#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/multigrid/box_grid.hpp>
#include <ashlar/multigrid/impl/thread_group.hpp>
#include <ashlar/multigrid/stencil.hpp>
#include <type_traits>

namespace ashlar::multigrid::impl {

// How the only box of a level lies in the scratch memory of teams: as one tile or as several, each with two more cells
// on all sides, which are cells of other tiles, or ghost cells. Both have the same functions, so that kernels for one
// tile have nothing to find out.

inline constexpr int widest_tile_in_scratch = 8, around_tile_in_scratch = 2;
/// Cells of the widest tile and those around it.
inline constexpr int widest_volume_in_scratch = 12 * 12 * 12;
static_assert(widest_tile_in_scratch + 2 * around_tile_in_scratch == 12);

/// A small box, by one team.
struct OneScratchTile {
  static constexpr bool is_one = true;

  int dim, width;  // of the box, and so of the tile

  KOKKOS_FUNCTION explicit OneScratchTile(int box_dim) : dim(box_dim), width(box_dim) {}

  /// How many of them a team has, which takes every num_teams-th.
  KOKKOS_FUNCTION static constexpr int count_of(int, int) { return 1; }
  /// The team's tile to which an item belongs, if each tile has `count_of_tile` items.
  KOKKOS_FUNCTION static constexpr int slot_of(int, int) { return 0; }
  /// The box's cell that is the first of a tile.
  KOKKOS_FUNCTION static constexpr Index3 first(int) { return {0, 0, 0}; }
  KOKKOS_FUNCTION static constexpr bool is_in_box(int, int, int) { return true; }
  /// The layout of a tile in scratch memory; several tiles lie one behind the other.
  KOKKOS_FUNCTION BoxLayout layout() const { return {width, around_tile_in_scratch}; }
  KOKKOS_FUNCTION int num_cells() const { return width * width * width; }
};

/// Tiles of even size, equally wide in each direction, except for the last ones. These are as wide as the boundary's
/// polynomial at least, so that all cells that it reads are the tile's own.
struct ScratchTiles {
  static constexpr bool is_one = false;
  static constexpr int narrowest = 4;

  int dim, width, per_dim;

  KOKKOS_FUNCTION explicit ScratchTiles(int box_dim) : dim(box_dim), width(widest_tile_in_scratch) {
    while (width > narrowest && !are_wide()) width -= 2;
    per_dim = (dim + width - 1) / width;
  }

  /// There are such tiles: not for 26 cells in a direction.
  KOKKOS_FUNCTION bool are_wide() const { return dim % width == 0 || dim % width >= narrowest; }
  KOKKOS_FUNCTION int count() const { return per_dim * per_dim * per_dim; }
  KOKKOS_FUNCTION int count_of(int team, int num_teams) const { return (count() - team + num_teams - 1) / num_teams; }
  KOKKOS_FUNCTION static int slot_of(int number, int count_of_tile) { return number / count_of_tile; }
  KOKKOS_FUNCTION Index3 first(int tile) const {
    return {tile % per_dim * width, tile / per_dim % per_dim * width, tile / (per_dim * per_dim) * width};
  }
  KOKKOS_FUNCTION bool is_in_box(int i, int j, int k) const {
    return i >= 0 && i < dim && j >= 0 && j < dim && k >= 0 && k < dim;
  }
  KOKKOS_FUNCTION BoxLayout layout() const { return {width, around_tile_in_scratch}; }
  KOKKOS_FUNCTION int num_cells() const { return width * width * width; }
};

// A level of one small box whose vectors are in the scratch memory of a team, laid out as ever, while the team
// computes with fv4; or of a larger one, of which each team has a tile. There separate kernels take longer than
// their work.

/// make(i) for each i < count, which is not 0, distributed to the members of a team. Each keeps its first item, so that
/// it makes nothing again if there are as many members as items. A wide team has no more items than threads.
template <class Members, class Make>
class Distributed {
 public:
  using Thing = std::invoke_result_t<const Make&, int>;

  KOKKOS_FUNCTION Distributed(const Members& group, int count, const Make& make)
      : group_(group), count_(count), make_(make), first_(make(group.thread < count ? group.thread : count - 1)) {}

  template <class Work>
  KOKKOS_FUNCTION void for_each(const Work& work) const {
    if (group_.thread >= count_) return;
    work(first_);
    // (A second place to call it from would keep what a thread has out of its registers.)
    if constexpr (!Members::is_wide) {
      for (int i = group_.thread + group_.num_threads; i < count_; i += group_.num_threads) work(make_(i));
    }
  }

 private:
  const Members& group_;
  int count_;
  Make make_;
  Thing first_;
};

/// The data of the operator at a cell of the box, besides x.
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

  /// The fluxes into it, for a vector in scratch memory whose ghost cells have been filled.
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
    // The tile is at this side, 0 or 1, of the box.
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

/// The most ghost cells of a tile: a single tile has the most.
inline constexpr int most_ghosts_in_scratch =
    6 * widest_tile_in_scratch * widest_tile_in_scratch + 12 * widest_tile_in_scratch;

}  // namespace ashlar::multigrid::impl
