#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/device/teams/for_wide_teams.hpp>
#include <ashlar/multigrid/box_grid.hpp>
#include <ashlar/multigrid/cell_tiles.hpp>
#include <string>

namespace ashlar::multigrid::impl {

template <class Tiles, class Cells>
struct AtTileCells {
  Cells cells;
  Tiles tiles;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    tiles.at(team.league_rank(), team.team_rank(), [&](int box, int i, int j, int k) { cells.at(box, i, j, k); });
  }
};

/// cells.at(box, i, j, k) for each place of boxes of `size` places, on GPUs.
///
/// Async    enqueued on `exec`; no fence, no allocation.
template <class Tiles, execution_space Exec, class Cells>
void for_tiles_of_cells(const std::string& label, const Exec& exec, int num_boxes, const Index3& size,
                        const Cells& cells) {
  const Tiles tiles = Tiles::of(size);
  for_wide_teams<Tiles::threads, Tiles::teams_at_a_time>(label, exec, tiles.count(num_boxes), 0,
                                                         AtTileCells<Tiles, Cells>{cells, tiles});
}

}  // namespace ashlar::multigrid::impl
