#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/multigrid/boundary.hpp>
#include <ashlar/multigrid/box_grid.hpp>
#include <ashlar/multigrid/box_layout.hpp>
#include <ashlar/multigrid/impl/crew.hpp>
#include <ashlar/multigrid/impl/transfer_bodies.hpp>

namespace ashlar::multigrid::impl {

/// Interpolation between levels of one box each, and the ghost cells that it needs: a team has a tile of the coarse
/// level and what is around it in scratch memory, and makes the ghost cells there. The same bits as steps of their own.
template <class Real, int reach>
struct ProlongInScratch {
  static constexpr bool is_for_crews = true;
  static constexpr int width_of_one = 5, width_of_several = 4;
  static constexpr int most_around = width_of_one + 2 * reach;
  static_assert(most_around * most_around * most_around <= crew_scratch_size);

  const Real* coarse;
  Real* fine;
  BoxLayout coarse_layout, fine_layout;
  BoundaryWeights<Real> boundary;
  InterpolationWeights<Real, reach> weights;

  /// Of levels with so many own boxes. Where the last of several tiles has two cells, those that the boundary's
  /// polynomial reads besides are around it.
  static bool serves(const BoxLayout& coarse, int num_boxes, int num_fine_boxes, int points) {
    const bool is_tiled = coarse.dim <= width_of_one || (coarse.dim % 2 == 0 && points <= 2 + reach);
    return num_boxes == 1 && num_fine_boxes == 1 && coarse.ghosts >= reach && is_tiled;
  }

  template <class Members>
  KOKKOS_FUNCTION void operator()(const Members& crew) const {
    const int dim = coarse_layout.dim, width = dim <= width_of_one ? dim : width_of_several;
    const int per_dim = (dim + width - 1) / width;
    for (int tile = crew.team; tile < per_dim * per_dim * per_dim; tile += crew.num_teams) {
      const int i = tile % per_dim, j = tile / per_dim % per_dim, k = tile / (per_dim * per_dim);
      prolong(crew, {i * width, j * width, k * width}, width);
      crew.meet();
    }
  }

 private:
  template <class Members>
  KOKKOS_FUNCTION void prolong(const Members& crew, const Index3& first, int width) const {
    const int row = width + 2 * reach, plane = row * row, dim = coarse_layout.dim;
    Real* const x = crew.template scratch_of<Real>();
    Real* const cells = x + reach * (1 + row + plane);
    const auto is_own = [dim](int i) { return i >= 0 && i < dim; };
    for (int n = crew.thread; n < row * plane; n += crew.num_threads) {
      const int i = first[0] + n % row - reach, j = first[1] + n / row % row - reach, k = first[2] + n / plane - reach;
      if (is_own(i) && is_own(j) && is_own(k)) x[n] = coarse[coarse_layout.at(0, i, j, k)];
    }
    // In one direction after the other, so that what lies beyond several sides follows from what lies beyond one less.
    extend(crew, x, row, plane, 1, row, first[2], width);
    extend(crew, x, row, row, 1, plane, first[1], width);
    extend(crew, x, row, 1, row, plane, first[0], width);
    crew.meet();
    for (int n = crew.thread; n < width * width * width; n += crew.num_threads) {
      const int i = n % width, j = n / width % width, k = n / (width * width);
      if (!is_own(first[0] + i) || !is_own(first[1] + j) || !is_own(first[2] + k)) continue;
      weights.at_cell(cells + i + j * row + k * plane, row, plane,
                      fine + fine_layout.at(0, 2 * (first[0] + i), 2 * (first[1] + j), 2 * (first[2] + k)),
                      fine_layout.row(), fine_layout.plane());
    }
  }

  /// Ghost cells beyond the ends of a direction, if the tile is there. `along`, `across_s` and `across_t` are between
  /// neighbours in this direction and the others. (What is no cell of the box, nor beyond it, is extended in vain.)
  template <class Members>
  KOKKOS_FUNCTION void extend(const Members& crew, Real* x, int row, int along, int across_s, int across_t, int first,
                              int width) const {
    const int dim = coarse_layout.dim;
    const bool is_low = first == 0, is_high = first + width >= dim;
    crew.meet();
    if (!is_low && !is_high) return;
    for (int n = crew.thread; n < 2 * row * row; n += crew.num_threads) {
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
