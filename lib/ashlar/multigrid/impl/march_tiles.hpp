#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <ashlar/multigrid/box_layout.hpp>
#include <cstdint>
#include <limits>

namespace ashlar::multigrid::impl {

/// Which part of a box a team works on: the tile of columns whose first is (i0, j0), and planes k0 to k1.
struct MarchPart {
  int box, i0, j0, k0, k1;
};

/// How many teams run at once where a multiprocessor has so many. Of hosts it is a number that makes tests have columns
/// of one plane and of several.
template <execution_space Exec>
int teams_at_once(const Exec& exec, int of_multiprocessor) {
  constexpr int threads_of_multiprocessor = 2048, of_host = 64;
  return is_gpu_v<Exec> ? exec.concurrency() / threads_of_multiprocessor * of_multiprocessor : of_host;
}

/// What the first planes of a column cost beside the others, in planes: its team waits for them, and the one below
/// reads some as well.
inline constexpr int planes_to_begin = 5;

/// How boxes are cut into them. Columns are as long as is fastest, if `at_a_time` teams go upwards at a time.
struct MarchTiles {
  int tiles_i, tiles_j, tiles_k, width, height, depth;

  /// `at_a_time` teams run at once. Columns have `depth` planes, or, with 0, as many as is fastest.
  static MarchTiles of(int num_boxes, const BoxLayout& layout, int width, int height, int at_a_time, int depth = 0) {
    const auto parts = [&](int size) { return (layout.dim + size - 1) / size; };
    MarchTiles tiles{parts(width), parts(height), 1, width, height, depth};
    if (depth == 0) tiles.depth = tiles.fastest_depth(num_boxes, layout.dim, at_a_time);
    tiles.tiles_k = parts(tiles.depth);
    return tiles;
  }

  int fastest_depth(int num_boxes, int dim, int at_a_time) const {
    const auto parts = [&](int size) { return (dim + size - 1) / size; };
    const std::int64_t columns = std::max(1, num_boxes * tiles_i * tiles_j);
    const auto rounds = [&](int parts_k) { return (columns * parts_k + at_a_time - 1) / at_a_time; };
    constexpr int most_rounds = 4;  // more change little
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    int fastest = dim;
    for (int wanted = 1; wanted <= dim && (wanted == 1 || rounds(wanted) <= most_rounds); ++wanted) {
      const int planes = parts(wanted);
      const std::int64_t time = rounds(parts(planes)) * (planes + planes_to_begin);
      if (time < least) {
        least = time;
        fastest = planes;
      }
    }
    return fastest;
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
