#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/multigrid/box_grid.hpp>
#include <ashlar/multigrid/impl/thread_group.hpp>
#include <ashlar/multigrid/impl/transfer_bodies.hpp>

namespace ashlar::multigrid::impl {

/// Interpolation between levels of one box each, and the ghost cells that it needs: a team has a tile of the coarse
/// level and the cells around it in scratch memory, and fills the ghost cells there. The same bits as separate kernels.
template <class Real, int reach>
struct ProlongInScratch {
  static constexpr bool is_for_groups = true;
  static constexpr int width_of_one = 5, width_of_several = 4;
  static constexpr int most_around = width_of_one + 2 * reach;
  static_assert(most_around * most_around * most_around <= scratch_size_of_team);

  const Real* coarse;
  Real* fine;
  BoxLayout coarse_layout, fine_layout;
  BoundaryWeights<Real> boundary;
  InterpolationWeights<Real, reach> weights;

  /// Both levels have one box, of a size for it. If the last of several tiles has two cells, the boundary's polynomial
  /// reads cells around it as well.
  static bool serves(const BoxLayout& coarse, int num_boxes, int num_fine_boxes, int points) {
    const bool is_tiled = coarse.dim <= width_of_one || (coarse.dim % 2 == 0 && points <= 2 + reach);
    return num_boxes == 1 && num_fine_boxes == 1 && coarse.ghosts >= reach && is_tiled;
  }

  template <class Members>
  KOKKOS_FUNCTION void operator()(const Members& group) const {
    const int dim = coarse_layout.dim, width = dim <= width_of_one ? dim : width_of_several;
    const int per_dim = (dim + width - 1) / width;
    for (int tile = group.team; tile < per_dim * per_dim * per_dim; tile += group.num_teams) {
      const int i = tile % per_dim, j = tile / per_dim % per_dim, k = tile / (per_dim * per_dim);
      prolong(group, {i * width, j * width, k * width}, width);
      group.barrier();
    }
  }

 private:
  template <class Members>
  KOKKOS_FUNCTION void prolong(const Members& group, const Index3& first, int width) const {
    const int row = width + 2 * reach, plane = row * row, dim = coarse_layout.dim;
    Real* const x = group.template scratch_of<Real>();
    Real* const cells = x + reach * (1 + row + plane);
    const auto is_own = [dim](int i) { return i >= 0 && i < dim; };
    for (int n = group.thread; n < row * plane; n += group.num_threads) {
      const int i = first[0] + n % row - reach, j = first[1] + n / row % row - reach, k = first[2] + n / plane - reach;
      if (is_own(i) && is_own(j) && is_own(k)) x[n] = coarse[coarse_layout.at(0, i, j, k)];
    }
    // In one direction after the other, so that what lies beyond several sides follows from what lies beyond one less.
    extend(group, x, row, plane, 1, row, first[2], width);
    extend(group, x, row, row, 1, plane, first[1], width);
    extend(group, x, row, 1, row, plane, first[0], width);
    group.barrier();
    for (int n = group.thread; n < width * width * width; n += group.num_threads) {
      const int i = n % width, j = n / width % width, k = n / (width * width);
      if (!is_own(first[0] + i) || !is_own(first[1] + j) || !is_own(first[2] + k)) continue;
      weights.at_cell(cells + i + j * row + k * plane, row, plane,
                      fine + fine_layout.at(0, 2 * (first[0] + i), 2 * (first[1] + j), 2 * (first[2] + k)),
                      fine_layout.row(), fine_layout.plane());
    }
  }

  /// Ghost cells beyond the ends of a direction, if the tile is there. `along`, `across_s` and `across_t` are between
  /// neighbours in this direction and the others. (Places that are neither in the box nor beyond it are extended in
  /// vain.)
  template <class Members>
  KOKKOS_FUNCTION void extend(const Members& group, Real* x, int row, int along, int across_s, int across_t, int first,
                              int width) const {
    const int dim = coarse_layout.dim;
    const bool is_low = first == 0, is_high = first + width >= dim;
    group.barrier();
    if (!is_low && !is_high) return;
    for (int n = group.thread; n < 2 * row * row; n += group.num_threads) {
      const bool at_low = n < row * row;
      if (at_low ? !is_low : !is_high) continue;
      const int column = at_low ? n : n - row * row;
      const int inwards = at_low ? along : -along;
      Real* const last =
          x + column % row * across_s + column / row * across_t + (reach + (at_low ? 0 : dim - 1 - first)) * along;
      for (int depth = 0; depth < reach; ++depth) {
        Real sum = 0;
        for (int p = 0; p < boundary.points; ++p) sum += boundary.of[depth][p] * last[p * inwards];
        last[-(depth + 1) * inwards] = sum;
      }
    }
  }
};

}  // namespace ashlar::multigrid::impl
