#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/multigrid/box_grid.hpp>
#include <ashlar/multigrid/box_layout.hpp>

namespace ashlar::multigrid::impl {

/// How the only box of a level is cut into tiles, which teams have in scratch memory, each with two more cells on all
/// sides: cells of other tiles, or ghost cells. A small box is one tile. Else tiles are of even size, as wide in each
/// direction, but for the last ones, which are no narrower than what a boundary's polynomial reads: so what follows
/// beyond the boundary from a tile's cells does not from another's.
struct ScratchTiles {
  static constexpr int widest = 8, narrowest = 4, around = 2;

  int dim;  // of the box
  int width, per_dim;

  KOKKOS_FUNCTION explicit ScratchTiles(int box_dim) : dim(box_dim), width(box_dim < widest ? box_dim : widest) {
    while (width > narrowest && width < dim && dim % width != 0 && dim % width < narrowest) width -= 2;
    per_dim = (dim + width - 1) / width;
  }

  /// Whether there are such tiles: not of 26 cells in a direction.
  KOKKOS_FUNCTION bool are_wide() const { return is_one() || dim % width == 0 || dim % width >= narrowest; }
  KOKKOS_FUNCTION bool is_one() const { return per_dim == 1; }
  KOKKOS_FUNCTION int count() const { return per_dim * per_dim * per_dim; }
  /// How many of them a team has, which takes every num_teams-th.
  KOKKOS_FUNCTION int count_of(int team, int num_teams) const { return (count() - team + num_teams - 1) / num_teams; }

  /// The box's cell that is the first of a tile.
  KOKKOS_FUNCTION Index3 first(int tile) const {
    return {tile % per_dim * width, tile / per_dim % per_dim * width, tile / (per_dim * per_dim) * width};
  }
  KOKKOS_FUNCTION bool is_in_box(int i, int j, int k) const {
    return i >= 0 && i < dim && j >= 0 && j < dim && k >= 0 && k < dim;
  }

  /// Of a tile in scratch memory; of several the next one lies behind.
  KOKKOS_FUNCTION BoxLayout layout() const { return {width, around}; }
  KOKKOS_FUNCTION int num_cells() const { return width * width * width; }
};

}  // namespace ashlar::multigrid::impl
