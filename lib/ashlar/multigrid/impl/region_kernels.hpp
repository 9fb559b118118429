#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <ashlar/multigrid/box_grid.hpp>
#include <string>
#include <type_traits>
#include <vector>

namespace ashlar::multigrid::impl {

/// A list in the memory of an execution space, as kernels read it. It owns nothing, and is trivial to copy, so that
/// kernels which hold it may be stored (PackedKernel).
template <class Item>
struct Items {
  const Item* first;
  int count;

  KOKKOS_FUNCTION const Item& operator()(int number) const { return first[number]; }
};

template <class View>
auto items(const View& list) {
  using Item = std::remove_const_t<typename View::value_type>;
  return Items<Item>{list.data(), static_cast<int>(list.extent(0))};
}

/// Regions as smaller ones, of which each has `most_cells` cells or fewer: cut across k, then across j.
template <class Region>
std::vector<Region> cut_regions(const std::vector<Region>& regions, int most_cells) {
  std::vector<Region> result;
  for (const Region& region : regions) {
    const Index3& size = region.size;
    const int rows = std::max(1, most_cells / size[0]), nj = std::min(rows, size[1]);
    const int nk = std::max(1, rows / nj);
    for (int k = 0; k < size[2]; k += nk) {
      for (int j = 0; j < size[1]; j += nj) {
        Region part = region;
        part.size = {size[0], std::min(nj, size[1] - j), std::min(nk, size[2] - k)};
        const Index3 begin{0, j, k};
        for (int d = 0; d < 3; ++d) {
          if constexpr (requires { part.begin; }) {
            part.begin[d] += begin[d];
          } else {
            part.from[d] += begin[d];
            part.to[d] += begin[d];
          }
        }
        result.push_back(part);
      }
    }
  }
  return result;
}

// Kernels for the cells of lists of regions.

/// A region's cells: body(region, i, j, k) for each. Where a body has something to prepare for a region,
/// body.prepare(region, work) calls work(cell) with what then does cell(i, j, k).
template <class Body, class Region, class Work>
KOKKOS_FUNCTION void prepared(const Body& body, const Region& region, const Work& work) {
  if constexpr (requires { body.prepare(region, work); }) {
    body.prepare(region, work);
  } else {
    work([&](int i, int j, int k) { body(region, i, j, k); });
  }
}

template <class Cell>
KOKKOS_FUNCTION void by_rows(const Index3& size, const Cell& shared) {
  // A copy, which no store can change: its members stay in registers.
  const auto at = shared;
  for (int k = 0; k < size[2]; ++k) {
    for (int j = 0; j < size[1]; ++j) {
      for (int i = 0; i < size[0]; ++i) at(i, j, k);
    }
  }
}

/// The same by a team, of one thread on CPUs.
template <class Team, class Region, class Body>
KOKKOS_FUNCTION void at_cells(const Team& team, const Region& region, const Body& body) {
  const Index3& size = region.size;
  prepared(body, region, [&](const auto& shared) {
    if constexpr (is_gpu_v<typename Team::execution_space>) {
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, size[0] * size[1] * size[2]), [&](int cell) {
        const int row = cell / size[0];
        shared(cell % size[0], row % size[1], row / size[1]);
      });
    } else {
      by_rows(size, shared);
    }
  });
}

/// On GPUs, a team for each region. Within one kernel, a subgroup of the threads.
template <class Regions, class Body>
struct AtRegions {
  static constexpr bool is_for_groups = true;

  Regions regions;
  Body body;

  template <class Members>
  requires requires(const Members& group) { group.num_subgroups(); }
  KOKKOS_FUNCTION void operator()(const Members& group) const {
    for (int number = group.subgroup(); number < regions.count; number += group.num_subgroups()) {
      const auto& region = regions(number);
      const int ni = region.size[0], nj = region.size[1], cells = ni * nj * region.size[2];
      prepared(body, region, [&](const auto& at) {
        for (int cell = group.lane(); cell < cells; cell += group.lanes)
          at(cell % ni, cell / ni % nj, cell / (ni * nj));
      });
    }
  }

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    at_cells(team, regions(team.league_rank()), body);
  }
};

/// On CPUs, a thread.
template <class Regions, class Body>
struct AtRegionsByRows {
  Regions regions;
  Body body;

  KOKKOS_FUNCTION void operator()(int number) const {
    const auto region = regions(number);
    prepared(body, region, [&](const auto& shared) { by_rows(region.size, shared); });
  }
};

template <execution_space Exec, class Regions, class Body>
void for_each_region(const std::string& label, const Exec& exec, const Regions& regions, const Body& body) {
  if (regions.extent(0) == 0) return;
  const int count = static_cast<int>(regions.extent(0));
  if constexpr (is_gpu_v<Exec>) {
    Kokkos::parallel_for(label, Kokkos::TeamPolicy<Exec>(exec, count, 128), AtRegions<Regions, Body>{regions, body});
  } else {
    Kokkos::parallel_for(label, Kokkos::RangePolicy<Exec, Kokkos::IndexType<int>>(exec, 0, count),
                         AtRegionsByRows<Regions, Body>{regions, body});
  }
}

}  // namespace ashlar::multigrid::impl
