#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/multigrid/box_grid.hpp>
#include <ashlar/multigrid/box_layout.hpp>

/// How the only box of a level lies in the scratch memory of teams: as one tile or as several, each with two more cells
/// on all sides, which are cells of other tiles, or ghost cells. Both have the same functions, so that kernels for one
/// tile have nothing to find out.
namespace ashlar::multigrid::impl {

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
  /// Of things that each tile has so many of: which of a team's tiles has this one.
  KOKKOS_FUNCTION static constexpr int slot_of(int, int) { return 0; }
  /// The box's cell that is the first of a tile.
  KOKKOS_FUNCTION static constexpr Index3 first(int) { return {0, 0, 0}; }
  KOKKOS_FUNCTION static constexpr bool is_in_box(int, int, int) { return true; }
  /// Of a tile in scratch memory; of several the next one lies behind.
  KOKKOS_FUNCTION BoxLayout layout() const { return {width, around_tile_in_scratch}; }
  KOKKOS_FUNCTION int num_cells() const { return width * width * width; }
};

/// Of even size, as wide in each direction, but for the last ones. These are no narrower than what a boundary's
/// polynomial reads, so that all of its cells are the tile's own.
struct ScratchTiles {
  static constexpr bool is_one = false;
  static constexpr int narrowest = 4;

  int dim, width, per_dim;

  KOKKOS_FUNCTION explicit ScratchTiles(int box_dim) : dim(box_dim), width(widest_tile_in_scratch) {
    while (width > narrowest && !are_wide()) width -= 2;
    per_dim = (dim + width - 1) / width;
  }

  /// Whether there are such tiles: not of 26 cells in a direction.
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

}  // namespace ashlar::multigrid::impl
