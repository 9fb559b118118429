#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/multigrid/box_layout.hpp>
#include <ashlar/multigrid/impl/for_each_tile.hpp>
#include <ashlar/multigrid/level_cut.hpp>
#include <cstdint>
#include <string>

/// What for_each_cell, for_each_of_colour and for_each_tile do for all cells of a level, for those of a list of
/// regions: the same bits at each cell. On GPUs a region is a team's, on CPUs a thread's.
namespace ashlar::multigrid::impl {

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

  /// Of a row: where its first cell is, and which is the first of the colour.
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

  void operator()(int number) const requires by_rows {
    const CellRegion region = regions(number);
    // A copy, which no store can change: what it holds stays in registers.
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

  void operator()(int number) const { for_tile(body, layout, parities, regions(number)); }
};

template <execution_space Exec, class Regions, class Kernel>
void launch_for_regions(const std::string& label, const Exec& exec, const Regions& regions, const Kernel& kernel) {
  const int count = static_cast<int>(regions.extent(0));
  if (count == 0) return;
  if constexpr (is_gpu_v<Exec>) {
    Kokkos::parallel_for(label, Kokkos::TeamPolicy<Exec>(exec, count, 256), kernel);
  } else {
    Kokkos::parallel_for(label, Kokkos::RangePolicy<Exec, Kokkos::IndexType<int>>(exec, 0, count), kernel);
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
