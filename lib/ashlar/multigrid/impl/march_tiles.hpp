#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <ashlar/device/teams/for_wide_teams.hpp>
#include <cstdint>
#include <limits>

namespace ashlar::multigrid::impl {

/// Which part of a box a team works on: the tile of columns whose first is (i0, j0), and planes k0 to k1.
struct MarchPart {
  int box, i0, j0, k0, k1;
};

/// The tile of a team that makes one pass (march.hpp), and how many teams a multiprocessor has at a time.
template <execution_space Exec>
struct MarchShape {
  static constexpr bool is_large = usual_wide_scratch<Exec> >= 96 * 1024;
  static constexpr int width = 32, height = is_large ? 16 : 8, teams_at_a_time = 2 * 16 / height;
};

/// How many teams run at once. Of hosts it is a number that makes tests have columns of one plane and of several.
template <execution_space Exec>
int teams_at_once(const Exec& exec) {
  constexpr int threads_of_multiprocessor = 2048, of_host = 64;
  if (!is_gpu_v<Exec>) return of_host;
  return exec.concurrency() / threads_of_multiprocessor * MarchShape<Exec>::teams_at_a_time;
}

/// What the first planes of a column cost beside the others, in planes: its team waits for them, and the one below
/// reads some as well.
inline constexpr int planes_to_begin = 5;

/// How boxes are cut into them. Columns are as long as is fastest, if `at_a_time` teams go upwards at a time.
struct MarchTiles {
  int tiles_i, tiles_j, tiles_k, width, height, depth;

  /// `at_a_time` teams run at once. Columns have `depth` planes, or, with 0, as many as is fastest.
  static MarchTiles of(int num_boxes, int dim, int width, int height, int at_a_time, int depth = 0) {
    const MarchTiles tiles{parts(dim, width), parts(dim, height), 1, width, height, dim};
    return depth == 0 ? tiles.with_fastest_depth(num_boxes, dim, at_a_time) : tiles.with_depth(depth, dim);
  }

  /// How many planes' time passes until all teams are done, with what columns cost to begin.
  std::int64_t planes_in_turn(int num_boxes, int at_a_time) const {
    return rounds(num_boxes, at_a_time) * (depth + planes_to_begin);
  }

  /// Of the cells that `at_a_time` teams make in that time where they always have work, the share that there is.
  double used_share(int num_boxes, int dim, int at_a_time) const {
    const double cells = double(num_boxes) * dim * dim * dim;
    return cells / (double(planes_in_turn(num_boxes, at_a_time)) * at_a_time * width * height);
  }

  int count(int num_boxes) const { return num_boxes * tiles_i * tiles_j * tiles_k; }

  KOKKOS_FUNCTION MarchPart part(int number, int dim) const {
    const int i = number % tiles_i, row = number / tiles_i;
    const int j = row % tiles_j, slab = row / tiles_j;
    const int k = slab % tiles_k, end = (k + 1) * depth;
    return {slab / tiles_k, i * width, j * height, k * depth, end < dim ? end : dim};
  }

 private:
  static int parts(int size, int of) { return (size + of - 1) / of; }

  std::int64_t rounds(int num_boxes, int at_a_time) const {
    return std::max<std::int64_t>(1,
                                  (std::int64_t(num_boxes) * tiles_i * tiles_j * tiles_k + at_a_time - 1) / at_a_time);
  }

  MarchTiles with_depth(int planes, int dim) const {
    return {tiles_i, tiles_j, parts(dim, planes), width, height, planes};
  }

  MarchTiles with_fastest_depth(int num_boxes, int dim, int at_a_time) const {
    constexpr int most_rounds = 4;  // more change little
    MarchTiles fastest = *this;
    for (int slabs = 2; slabs <= dim; ++slabs) {
      const MarchTiles tried = with_depth(parts(dim, slabs), dim);
      if (tried.rounds(num_boxes, at_a_time) > most_rounds) break;
      if (tried.planes_in_turn(num_boxes, at_a_time) < fastest.planes_in_turn(num_boxes, at_a_time)) fastest = tried;
    }
    return fastest;
  }
};

}  // namespace ashlar::multigrid::impl
