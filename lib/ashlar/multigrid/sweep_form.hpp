#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/device/teams/for_wide_teams.hpp>
#include <ashlar/multigrid/methods.hpp>
#include <concepts>
#include <cstdint>
#include <limits>

namespace ashlar::multigrid::impl {

/// Which part of a box a team works on: the tile of columns whose first is (i0, j0), and planes k0 to k1.
struct PlanePart {
  int box, i0, j0, k0, k1;
};

/// The tile of a team that makes one pass (impl/plane_sweep.hpp), and how many teams a multiprocessor has at a time.
template <execution_space Exec>
struct PlaneTileShape {
  static constexpr bool is_large = usual_wide_scratch<Exec> >= 96 * 1024;
  static constexpr int width = 32, height = is_large ? 16 : 8, teams_at_a_time = 2 * 16 / height;
};

/// The number of teams that run simultaneously. For hosts a number that gives tests columns of one plane and of
/// several.
template <execution_space Exec>
int resident_teams(const Exec& exec) {
  constexpr int threads_of_multiprocessor = 2048, of_host = 64;
  if (!is_gpu_v<Exec>) return of_host;
  return exec.concurrency() / threads_of_multiprocessor * PlaneTileShape<Exec>::teams_at_a_time;
}

/// The additional cost of the first planes of a column, in planes: its team waits for them, and the column below reads
/// some as well.
inline constexpr int planes_to_begin = 5;

/// How boxes are cut into them. Columns are as long as is fastest, if `at_a_time` teams go upwards at a time.
struct PlaneTiles {
  int tiles_i, tiles_j, tiles_k, width, height, depth;

  /// `at_a_time` teams run simultaneously. Columns have `depth` planes, or, with 0, as many as is fastest.
  static PlaneTiles of(int num_boxes, int dim, int width, int height, int at_a_time, int depth = 0) {
    const PlaneTiles tiles{parts(dim, width), parts(dim, height), 1, width, height, dim};
    return depth == 0 ? tiles.with_fastest_depth(num_boxes, dim, at_a_time) : tiles.with_depth(depth, dim);
  }

  /// How many planes' time passes until all teams are done, with what columns cost to begin.
  std::int64_t time_in_planes(int num_boxes, int at_a_time) const {
    return rounds(num_boxes, at_a_time) * (depth + planes_to_begin);
  }

  /// The share of the cells that `at_a_time` teams could compute in that time if they always had work.
  double used_share(int num_boxes, int dim, int at_a_time) const {
    const double cells = double(num_boxes) * dim * dim * dim;
    return cells / (double(time_in_planes(num_boxes, at_a_time)) * at_a_time * width * height);
  }

  int count(int num_boxes) const { return num_boxes * tiles_i * tiles_j * tiles_k; }

  KOKKOS_FUNCTION PlanePart part(int number, int dim) const {
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

  PlaneTiles with_depth(int planes, int dim) const {
    return {tiles_i, tiles_j, parts(dim, planes), width, height, planes};
  }

  PlaneTiles with_fastest_depth(int num_boxes, int dim, int at_a_time) const {
    constexpr int most_rounds = 4;  // more change little
    PlaneTiles fastest = *this;
    for (int slabs = 2; slabs <= dim; ++slabs) {
      const PlaneTiles tried = with_depth(parts(dim, slabs), dim);
      if (tried.rounds(num_boxes, at_a_time) > most_rounds) break;
      if (tried.time_in_planes(num_boxes, at_a_time) < fastest.time_in_planes(num_boxes, at_a_time)) fastest = tried;
    }
    return fastest;
  }
};

}  // namespace ashlar::multigrid::impl

namespace ashlar::multigrid {

/// Planes pay on GPUs where teams have work for half of their time or more. On an H200 they are as fast as cells for
/// one box of 64^3, where teams have it for 0.28 of the time, and take 0.7 of the time of cells for one of 128^3, where
/// they have it for 0.74.
inline constexpr double least_share_of_planes = 0.5;

/// Planes are compiled for this execution space only: they are for large boxes, and so for no host that has a device
/// beside it.
template <execution_space Exec>
inline constexpr bool has_sweep_forms = std::same_as<Exec, Kokkos::DefaultExecutionSpace>;

/// The form for num_boxes boxes of box_dim^3 cells on this rank where `asked` is asked for; never automatic.
///
/// Throws   ArgumentError where teams of this device have too little scratch memory for a form that is named.
template <execution_space Exec>
SweepForm sweep_form(const Exec& exec, SweepForm asked, Discretisation discretisation, int box_dim,
                     std::int64_t num_boxes) {
  const bool has_choice = has_sweep_forms<Exec> && discretisation == Discretisation::fv4;
  if (!has_choice || asked == SweepForm::cells) return SweepForm::cells;
  const bool is_possible = has_usual_wide_scratch(exec);
  if (asked != SweepForm::automatic) {
    if (is_possible) return asked;
    throw ArgumentError(
        text("multigrid: sweeps by '", to_string(asked), "'"),
        text("teams of this device have less than ", usual_wide_scratch<Exec>, " bytes of scratch memory"),
        "take 'cells', or 'automatic'");
  }
  if (!is_gpu_v<Exec> || !is_possible) return SweepForm::cells;
  using Shape = impl::PlaneTileShape<Exec>;
  const int teams = impl::resident_teams(exec), boxes = static_cast<int>(num_boxes);
  const auto tiles = impl::PlaneTiles::of(boxes, box_dim, Shape::width, Shape::height, teams);
  return tiles.used_share(boxes, box_dim, teams) >= least_share_of_planes ? SweepForm::planes : SweepForm::cells;
}

}  // namespace ashlar::multigrid
