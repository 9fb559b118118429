#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <ashlar/device/teams/for_wide_teams.hpp>
#include <ashlar/multigrid/box_grid.hpp>
#include <bit>
#include <cstdint>
#include <string>

namespace ashlar::multigrid {

/// How boxes are cut into tiles for the teams of a GPU, a thread a place, where cells read their neighbours: about as
/// long in j as in k, so that most values that a cell reads have been read for another of the tile, and are in the
/// first cache of the multiprocessor. A tile has 2^(bits_i + bits_j + bits_k) places, and of smaller boxes those as
/// well that are too many in one direction.
template <int bits_i = 4, int bits_j = 3, int bits_k = 2>
struct CellTiles {
  static constexpr int all_bits = bits_i + bits_j + bits_k, threads = 1 << all_bits;
  /// 64 registers for each thread of NVIDIA's.
  static constexpr int teams_at_a_time = std::max(1, 1024 / threads);

  int bits[3];   // of a tile in each direction
  int tiles[3];  // of a box
  Index3 size;   // of a box, in places

  /// Boxes of dim^3 cells fill most of their tiles, and there is a tile for each multiprocessor.
  static bool are_worth_it(int num_boxes, int dim) {
    constexpr std::int64_t least_cells = 64 * 64 * 64;
    return dim >= 8 && std::int64_t(num_boxes) * dim * dim * dim >= least_cells;
  }

  static CellTiles of(const Index3& size) {
    const auto needed = [](int places) { return int(std::bit_width(unsigned(places - 1))); };
    CellTiles cut{{std::min(bits_i, needed(size[0])), 0, 0}, {}, size};
    const int left = bits_i - cut.bits[0];  // shared by the others, j first
    cut.bits[1] = std::min(bits_j + (left + 1) / 2, needed(size[1]));
    cut.bits[2] = all_bits - cut.bits[0] - cut.bits[1];
    for (int d = 0; d < 3; ++d) cut.tiles[d] = (size[d] + (1 << cut.bits[d]) - 1) >> cut.bits[d];
    return cut;
  }
  int count(int num_boxes) const { return num_boxes * tiles[0] * tiles[1] * tiles[2]; }

  /// work(box, i, j, k) for the place of a thread, if there is one.
  template <class Work>
  KOKKOS_FUNCTION void at(int tile, int thread, const Work& work) const {
    const int row = tile / tiles[0], slab = row / tiles[1], box = slab / tiles[2];
    const int at_j = thread >> bits[0], at_k = at_j >> bits[1];
    const int i = ((tile - row * tiles[0]) << bits[0]) + (thread - (at_j << bits[0]));
    const int j = ((row - slab * tiles[1]) << bits[1]) + (at_j - (at_k << bits[1]));
    const int k = ((slab - box * tiles[2]) << bits[2]) + at_k;
    if (i < size[0] && j < size[1] && k < size[2]) work(box, i, j, k);
  }
};

}  // namespace ashlar::multigrid

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
