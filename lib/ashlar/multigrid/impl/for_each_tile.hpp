#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <ashlar/multigrid/box_grid.hpp>
#include <ashlar/multigrid/impl/cell_bodies.hpp>
#include <ashlar/multigrid/impl/for_each_cell.hpp>
#include <ashlar/multigrid/plans.hpp>
#include <cstdint>
#include <string>

namespace ashlar::multigrid::impl {

// Kernels on CPUs that need the sum of the fluxes through the faces of each cell. They work them out by rows, which
// vectorises, and once for the two cells that share a face: a tile of rows goes upwards in k and keeps the fluxes
// through the faces below.

/// A part of a row: `count` cells from that at `place` on, whose i + j + k is `parity` but for multiples of 2, and the
/// sums of their fluxes.
template <class Real>
struct TileRow {
  std::int64_t place;
  int count, parity;
  const Real* fluxes;
};

/// Calls a body for the cells of a row. A body with a colour changes the cells whose i + j + k + colour is even, and
/// the others keep their values.
template <class Body, class Real>
void for_row(const Body& body, const TileRow<Real>& row) {
  const Real* const x = body.stencil.data.x;
  const auto update = [&](int i) {
    const std::int64_t c = row.place + i;
    body.out[c] = body(c, x[c], row.fluxes[i], body.read(c));
  };
  if constexpr (has_colour<Body>) {
    const int first = (row.parity + body.colour) & 1;
    for (int i = first; i < row.count; i += 2) update(i);
    for (int i = 1 - first; i < row.count; i += 2) body.out[row.place + i] = x[row.place + i];
  } else {
    for (int i = 0; i < row.count; ++i) update(i);
  }
}

/// A tile: so many cells of a box at most in i and in j, any number of them in k.
inline constexpr int widest_tile = 64, highest_tile = 32;

/// The rows of one tile. `parities` are of the place of each box's first cell.
template <class Body, class Parities>
void for_tile(const Body& body, const BoxLayout& layout, const Parities& parities, const CellRegion& tile) {
  const Body mine = body;
  const auto stencil = mine.stencil;
  using Real = typename decltype(mine.stencil)::Real;
  const auto& [box, begin, size] = tile;
  const int i0 = begin[0], j0 = begin[1], k0 = begin[2], ni = size[0], nj = size[1], nk = size[2];
  // Fluxes through low faces, and through the high ones of a row.
  Real low_i[widest_tile + 1], low_j[widest_tile], low_k[highest_tile][widest_tile];
  Real high_j[widest_tile], high_k[widest_tile], sums[widest_tile];
  for (int j = 0; j < nj; ++j) {
    const std::int64_t c = layout.at(box, i0, j0 + j, k0);
    for (int i = 0; i < ni; ++i) low_k[j][i] = stencil.template flux<2>(c + i);
  }
  for (int k = 0; k < nk; ++k) {
    const std::int64_t first = layout.at(box, i0, j0, k0 + k);
    for (int i = 0; i < ni; ++i) low_j[i] = stencil.template flux<1>(first + i);
    for (int j = 0; j < nj; ++j) {
      const std::int64_t c = first + j * layout.stride(1);
      const std::int64_t next_j = c + layout.stride(1), next_k = c + layout.stride(2);
      for (int i = 0; i <= ni; ++i) low_i[i] = stencil.template flux<0>(c + i);
      // Loops of their own: registers hold the addresses of one.
      for (int i = 0; i < ni; ++i) high_j[i] = stencil.template flux<1>(next_j + i);
      for (int i = 0; i < ni; ++i) high_k[i] = stencil.template flux<2>(next_k + i);
      for (int i = 0; i < ni; ++i) {
        sums[i] = (low_i[i + 1] - low_i[i]) + (high_j[i] - low_j[i]) + (high_k[i] - low_k[j][i]);
        low_j[i] = high_j[i];
        low_k[j][i] = high_k[i];
      }
      for_row(mine, TileRow<Real>{c, ni, parities(box) + i0 + j0 + j + k0 + k, sums});
    }
  }
}

/// The tiles that all boxes are cut into, as a list of regions.
struct AllTiles {
  int dim, height, depth;  // of a box; of a tile
  int tiles_i, tiles_j, tiles_k, num_boxes;

  /// Large tiles read little twice; but there are to be some for each of so many threads.
  static AllTiles of(int num_boxes, int dim, int num_threads) {
    const auto parts = [&](int size) { return (dim + size - 1) / size; };
    AllTiles tiles{dim, highest_tile, dim, parts(widest_tile), 0, 0, num_boxes};
    for (;;) {
      tiles.tiles_j = parts(tiles.height);
      tiles.tiles_k = parts(tiles.depth);
      if (tiles.extent(0) >= 4 * std::int64_t(num_threads) || tiles.height <= 4) return tiles;
      (tiles.depth > tiles.height ? tiles.depth : tiles.height) /= 2;
    }
  }

  std::int64_t extent(int) const { return std::int64_t(num_boxes) * tiles_i * tiles_j * tiles_k; }

  CellRegion operator()(std::int64_t index) const {
    const int i = widest_tile * int(index % tiles_i);
    const int j = height * int(index / tiles_i % tiles_j);
    const int k = depth * int(index / (tiles_i * tiles_j) % tiles_k);
    const int box = int(index / (std::int64_t(tiles_i) * tiles_j * tiles_k));
    return {box, {i, j, k}, {std::min(widest_tile, dim - i), std::min(height, dim - j), std::min(depth, dim - k)}};
  }
};

// The same as for_each_cell and for_each_of_colour for the cells of a list of regions: the same bits at each cell. On
// GPUs a region is a team's, on CPUs a thread's.

/// Which regions make good work for a team, or a thread: a GPU's thread takes one or two cells, a thread of a CPU a
/// tile.
template <execution_space Exec>
constexpr RegionSize region_size() {
  constexpr int threads = 256;
  return is_gpu_v<Exec> ? RegionSize{2 * threads, 2 * threads, 2 * threads}
                        : RegionSize{widest_tile, highest_tile, widest_tile * highest_tile * 16};
}

/// body(place of the cell)
template <class Regions, class Body>
struct AtRegionCells {
  Regions regions;
  Body body;
  BoxLayout layout;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const CellRegion region = regions(team.league_rank());
    const int ni = region.size[0], nj = region.size[1];
    const std::int64_t first = layout.at(region.box, region.begin[0], region.begin[1], region.begin[2]);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, ni * nj * region.size[2]), [&](int cell) {
      const int row = cell / ni, k = row / nj;
      body(first + cell % ni + (row - k * nj) * layout.stride(1) + k * layout.stride(2));
    });
  }
};

/// body.update(place) for the cells of the colour, body.keep(place) for the others. A thread of a GPU takes one of
/// each, a thread of a CPU all rows of a region.
template <bool by_rows, class Regions, class Body, class Parities>
struct ColourAtRegions {
  Regions regions;
  Body body;
  BoxLayout layout;
  Parities parities;  // of the place of each box's first cell
  int colour;

  /// The place of the first cell of a row, and the number of the first cell of the colour.
  struct Row {
    std::int64_t place;
    int first;
  };
  KOKKOS_FUNCTION Row row(const CellRegion& region, int j, int k) const {
    const int at_i = region.begin[0], at_j = region.begin[1] + j, at_k = region.begin[2] + k;
    return {layout.at(region.box, at_i, at_j, at_k), (at_i + at_j + at_k + colour + parities(region.box)) & 1};
  }

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const requires(!by_rows) {
    const CellRegion region = regions(team.league_rank());
    const int ni = region.size[0], nj = region.size[1], pairs = (ni + 1) / 2;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, pairs * nj * region.size[2]), [&](int index) {
      const int number = index / pairs, i = 2 * (index - number * pairs), k = number / nj;
      const auto [place, first] = row(region, number - k * nj, k);
      if (i + first < ni) body.update(place + i + first);
      if (i + 1 - first < ni) body.keep(place + i + 1 - first);
    });
  }

  void operator()(std::int64_t number) const requires by_rows {
    const CellRegion region = regions(number);
    // A copy, which no store can change: its members stay in registers.
    const Body mine = body;
    for (int k = 0; k < region.size[2]; ++k) {
      for (int j = 0; j < region.size[1]; ++j) {
        const auto [place, first] = row(region, j, k);
        for (int i = first; i < region.size[0]; i += 2) mine.update(place + i);
        for (int i = 1 - first; i < region.size[0]; i += 2) mine.keep(place + i);
      }
    }
  }
};

/// Regions as tiles, of CPUs: for bodies that want the sums of fluxes.
template <class Regions, class Body, class Parities>
struct TilesAtRegions {
  Regions regions;
  Body body;
  BoxLayout layout;
  Parities parities;

  void operator()(std::int64_t number) const { for_tile(body, layout, parities, regions(number)); }
};

template <execution_space Exec, class Regions, class Kernel>
void launch_for_regions(const std::string& label, const Exec& exec, const Regions& regions, const Kernel& kernel) {
  const auto count = static_cast<std::int64_t>(regions.extent(0));
  if (count == 0) return;
  if constexpr (is_gpu_v<Exec>) {
    Kokkos::parallel_for(label, Kokkos::TeamPolicy<Exec>(exec, int(count), 256), kernel);
  } else {
    Kokkos::parallel_for(label, CellRange<Exec>(exec, 0, count), kernel);
  }
}

template <execution_space Exec, class Regions, class Body, class Parities>
void for_colour_in_regions(const std::string& label, const Exec& exec, const Regions& regions, const BoxLayout& layout,
                           const Parities& parities, int colour, const Body& body) {
  launch_for_regions(
      label, exec, regions,
      ColourAtRegions<!is_gpu_v<Exec>, Regions, Body, Parities>{regions, body, layout, parities, colour});
}

template <execution_space Exec, class Regions, class Body>
void for_cells_in_regions(const std::string& label, const Exec& exec, const Regions& regions, const BoxLayout& layout,
                          const Body& body) {
  launch_for_regions(label, exec, regions, AtRegionCells<Regions, Body>{regions, body, layout});
}

template <execution_space Exec, class Regions, class Body, class Parities>
void for_tiles_in_regions(const std::string& label, const Exec& exec, const Regions& regions, const BoxLayout& layout,
                          const Parities& parities, const Body& body) {
  launch_for_regions(label, exec, regions, TilesAtRegions<Regions, Body, Parities>{regions, body, layout, parities});
}

}  // namespace ashlar::multigrid::impl
