#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <ashlar/multigrid/box_layout.hpp>
#include <cstdint>

namespace ashlar::multigrid::impl {

/// Which part of a box a team works on: the tile of columns whose first is (i0, j0), and planes k0 to k1.
struct MarchPart {
  int box, i0, j0, k0, k1;
};

/// How many teams run at once where a multiprocessor has so many; of hosts any number, as tests of short columns want
/// them.
template <execution_space Exec>
int teams_at_once(const Exec& exec, int of_multiprocessor) {
  constexpr int threads_of_multiprocessor = 2048;
  return is_gpu_v<Exec> ? exec.concurrency() / threads_of_multiprocessor * of_multiprocessor : 1 << 20;
}

/// How boxes are cut into them. Columns are as long as leaves enough teams for all multiprocessors, since the first
/// planes of each are read twice, by the one below as well.
struct MarchTiles {
  int tiles_i, tiles_j, tiles_k, width, height, depth;

  /// `at_a_time` teams run at once.
  static MarchTiles of(int num_boxes, const BoxLayout& layout, int width, int height, int at_a_time) {
    const auto parts = [&](int size) { return (layout.dim + size - 1) / size; };
    MarchTiles tiles{parts(width), parts(height), 1, width, height, layout.dim};
    constexpr int least_depth = 32, rounds = 2;
    const int columns = std::max(1, num_boxes * tiles.tiles_i * tiles.tiles_j);
    const int wanted = std::clamp(rounds * at_a_time / columns, 1, std::max(1, layout.dim / least_depth));
    tiles.depth = (layout.dim + wanted - 1) / wanted;
    tiles.tiles_k = parts(tiles.depth);
    return tiles;
  }

  int count(int num_boxes) const { return num_boxes * tiles_i * tiles_j * tiles_k; }

  KOKKOS_FUNCTION MarchPart part(int number, int dim) const {
    const int i = number % tiles_i, row = number / tiles_i;
    const int j = row % tiles_j, slab = row / tiles_j;
    const int k = slab % tiles_k, end = (k + 1) * depth;
    return {slab / tiles_k, i * width, j * height, k * depth, end < dim ? end : dim};
  }
};

}  // namespace ashlar::multigrid::impl
