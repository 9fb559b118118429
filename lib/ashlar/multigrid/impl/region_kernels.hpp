#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <ashlar/multigrid/boundary.hpp>
#include <ashlar/multigrid/box_layout.hpp>
#include <ashlar/multigrid/ghost_plan.hpp>
#include <string>
#include <vector>

namespace ashlar::multigrid::impl {

template <memory_space Space, class Item>
Kokkos::View<Item*, Space> to_space(const std::string& label, const std::vector<Item>& items) {
  const Kokkos::View<Item*, Space> there(Kokkos::view_alloc(Kokkos::WithoutInitializing, label), items.size());
  const auto here = Kokkos::create_mirror_view(Kokkos::WithoutInitializing, there);
  std::copy(items.begin(), items.end(), here.data());
  Kokkos::deep_copy(there, here);
  return there;
}

/// A team for each region, which calls body(region, i, j, k) for its cells.
template <class Regions, class Body, bool by_rows>
struct AtRegions {
  Regions regions;
  Body body;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const auto& region = regions(team.league_rank());
    const Index3& size = region.size;
    if constexpr (by_rows) {
      for (int k = 0; k < size[2]; ++k) {
        for (int j = 0; j < size[1]; ++j) {
          for (int i = 0; i < size[0]; ++i) body(region, i, j, k);
        }
      }
    } else {
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, size[0] * size[1] * size[2]), [&](int cell) {
        const int row = cell / size[0];
        body(region, cell % size[0], row % size[1], row / size[1]);
      });
    }
  }
};

template <execution_space Exec, class Regions, class Body>
void for_each_region(const std::string& label, const Exec& exec, const Regions& regions, const Body& body) {
  if (regions.extent(0) == 0) return;
  constexpr bool on_host = !is_gpu_v<Exec>;
  const int teams = static_cast<int>(regions.extent(0));
  Kokkos::parallel_for(label, Kokkos::TeamPolicy<Exec>(exec, teams, on_host ? 1 : 128),
                       AtRegions<Regions, Body, on_host>{regions, body});
}

struct CopyGhosts {
  double* x;
  BoxLayout layout;

  KOKKOS_FUNCTION void operator()(const GhostCopy& copy, int i, int j, int k) const {
    x[layout.at(copy.to_box, copy.to[0] + i, copy.to[1] + j, copy.to[2] + k)] =
        x[layout.at(copy.from_box, copy.from[0] + i, copy.from[1] + j, copy.from[2] + k)];
  }
};

struct ExtendToGhosts {
  double* x;
  BoxLayout layout;
  BoundaryWeights weights;

  KOKKOS_FUNCTION void operator()(const BoundaryRegion& region, int i, int j, int k) const {
    const int cell[3] = {region.begin[0] + i, region.begin[1] + j, region.begin[2] + k};
    // Along each direction that leads out: the first cell within, the step inwards, and the weights of this depth.
    int first[3], step[3], points[3];
    const double* of[3];
    for (int d = 0; d < 3; ++d) {
      const int outside = region.outside[d];
      first[d] = outside < 0 ? 0 : outside > 0 ? layout.dim - 1 : cell[d];
      step[d] = -outside;
      points[d] = outside == 0 ? 1 : weights.points;
      of[d] = outside == 0 ? nullptr : weights.of[outside < 0 ? -1 - cell[d] : cell[d] - layout.dim];
    }
    double sum = 0;
    for (int c = 0; c < points[2]; ++c) {
      for (int b = 0; b < points[1]; ++b) {
        for (int a = 0; a < points[0]; ++a) {
          const double weight = (of[0] ? of[0][a] : 1) * (of[1] ? of[1][b] : 1) * (of[2] ? of[2][c] : 1);
          sum +=
              weight * x[layout.at(region.box, first[0] + step[0] * a, first[1] + step[1] * b, first[2] + step[2] * c)];
        }
      }
    }
    x[layout.at(region.box, cell[0], cell[1], cell[2])] = sum;
  }
};

/// A coefficient of faces, extended beyond the domain by a polynomial along the one direction that leads out: the first
/// layer only, which is all that an operator reads.
struct ExtrapolateFaces {
  double* beta;
  BoxLayout layout;

  KOKKOS_FUNCTION void operator()(const BoundaryRegion& region, int i, int j, int k) const {
    const int cell[3] = {region.begin[0] + i, region.begin[1] + j, region.begin[2] + k};
    int d = 0;
    while (region.outside[d] == 0) ++d;
    const bool is_low = region.outside[d] < 0;
    if (cell[d] != (is_low ? -1 : layout.dim)) return;
    const std::int64_t at = layout.at(region.box, cell[0], cell[1], cell[2]);
    const std::int64_t inwards = is_low ? layout.stride(d) : -layout.stride(d);
    const auto x = [&](int depth) { return beta[at + depth * inwards]; };
    if (layout.dim >= 5) {
      beta[at] = 5 * x(1) - 10 * x(2) + 10 * x(3) - 5 * x(4) + x(5);
    } else if (layout.dim == 4) {
      beta[at] = 4 * x(1) - 6 * x(2) + 4 * x(3) - x(4);
    } else if (layout.dim >= 2) {
      beta[at] = 2 * x(1) - x(2);
    } else {
      beta[at] = x(1);
    }
  }
};

}  // namespace ashlar::multigrid::impl
