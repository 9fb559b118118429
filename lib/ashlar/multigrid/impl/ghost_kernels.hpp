#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/multigrid/box_grid.hpp>
#include <ashlar/multigrid/impl/region_kernels.hpp>
#include <ashlar/multigrid/plans.hpp>
#include <cstdint>
#include <string>

/// Kernels that fill ghost cells: copies from box to box, and extrapolation beyond the boundary.
namespace ashlar::multigrid::impl {

/// A cell that lies beyond the boundary in `directions` directions: a sum over `points` cells in each of them.
template <int directions, int points, class Real>
struct ExtendedCell {
  const Real* first;  // of the region
  std::int64_t stride[3];
  Real weights[2][points];
  // By direction that leads out: which it is, how deep the first cell lies beyond the boundary (0 or 1), by how much
  // deeper the next one, and how far apart cells on the way inwards are.
  int along[directions], depth[directions], deeper[directions];
  std::int64_t inwards[directions];

  KOKKOS_FUNCTION Real operator()(int i, int j, int k) const {
    int depths[directions];
    for (int n = 0; n < directions; ++n) {
      depths[n] = depth[n] + deeper[n] * (along[n] == 0 ? i : along[n] == 1 ? j : k);
    }
    return sum<0>(first + i * stride[0] + j * stride[1] + k * stride[2], depths);
  }

  /// Over the directions from `n` on.
  template <int n>
  KOKKOS_FUNCTION Real sum(const Real* x, const int (&depths)[directions]) const {
    if constexpr (n == directions) {
      return *x;
    } else {
      const Real* const within = x + (depths[n] + 1) * inwards[n];
      Real result = 0;
      for (int p = 0; p < points; ++p) {
        // (Both places are known early, so that the weights stay in registers.)
        const Real weight = depths[n] == 0 ? weights[0][p] : weights[1][p];
        result += weight * sum<n + 1>(within + p * inwards[n], depths);
      }
      return result;
    }
  }
};

/// The values of cells beyond the boundary of a box.
template <class Real>
struct BeyondBoundary {
  const Real* x;
  BoxLayout layout;
  BoundaryWeights<Real> weights;

  /// work(value) for a region, where value(i, j, k) is the value of its cell.
  template <int most_directions, class Work>
  KOKKOS_FUNCTION void with_values(const BoundaryRegion& region, const Work& work) const {
    const int directions = int(region.outside[0] != 0) + int(region.outside[1] != 0) + int(region.outside[2] != 0);
    if (directions == 1) {
      with_points<1>(region, work);
    } else if (directions == 2) {
      with_points<2>(region, work);
    } else if constexpr (most_directions == 3) {
      with_points<3>(region, work);
    }
  }

 private:
  template <int directions, class Work>
  KOKKOS_FUNCTION void with_points(const BoundaryRegion& region, const Work& work) const {
    if (weights.points == 4) {
      work(first_cell<directions, 4>(region));
    } else if (weights.points == 2) {
      work(first_cell<directions, 2>(region));
    } else {
      work(first_cell<directions, 1>(region));
    }
  }

  template <int directions, int points>
  KOKKOS_FUNCTION ExtendedCell<directions, points, Real> first_cell(const BoundaryRegion& region) const {
    ExtendedCell<directions, points, Real> cell;
    cell.first = x + layout.at(region.box, region.begin[0], region.begin[1], region.begin[2]);
    int n = 0;
    for (int d = 0; d < 3; ++d) {
      cell.stride[d] = layout.stride(d);
      const int outside = region.outside[d];
      if (outside == 0) continue;
      cell.along[n] = d;
      cell.depth[n] = outside < 0 ? -1 - region.begin[d] : region.begin[d] - layout.dim;
      cell.deeper[n] = outside;
      cell.inwards[n] = -outside * layout.stride(d);
      ++n;
    }
    for (int depth = 0; depth < 2; ++depth) {
      for (int p = 0; p < points; ++p) cell.weights[depth][p] = weights.of[depth][p];
    }
    return cell;
  }
};

/// Where a region's cells are to be.
template <class Real, class Value>
struct StoredCell {
  Value value;
  Real* to;
  std::int64_t row, plane;

  KOKKOS_FUNCTION void operator()(int i, int j, int k) const { to[i + j * row + k * plane] = value(i, j, k); }
};

/// work(value) as in with_values(), for ghost cells of another box. Not called for cells beyond the domain if there is
/// no boundary condition.
template <class Real, class Work>
KOKKOS_FUNCTION void with_copied(const GhostCopy& copy, const BeyondBoundary<Real>& beyond, const Work& work) {
  const BoxLayout& layout = beyond.layout;
  if (!copy.is_outside()) {
    const Real* const from = beyond.x + layout.at(copy.from_box, copy.from[0], copy.from[1], copy.from[2]);
    work([from, row = layout.row(), plane = layout.plane()](int i, int j, int k) {
      return from[i + j * row + k * plane];
    });
  } else if (beyond.weights.points > 0) {
    // (Beside a box, so in two directions at most.)
    beyond.template with_values<2>(BoundaryRegion{copy.from_box, copy.from, copy.size, copy.outside}, work);
  }
}

/// No boundary condition.
template <class Real>
constexpr BoundaryWeights<Real> no_boundary() {
  return {0, {}};
}

/// The cells that a rank fills by itself: copies from its boxes, and cells beyond the boundary of a box.
template <class Real>
struct FillGhosts {
  Real* x;
  BoxLayout layout;
  BoundaryWeights<Real> weights;

  template <class Work>
  KOKKOS_FUNCTION void prepare(const GhostCopy& copy, const Work& work) const {
    with_copied(copy, BeyondBoundary<Real>{x, layout, weights}, [&]<class Value>(const Value& value) {
      work(stored(value, layout.at(copy.to_box, copy.to[0], copy.to[1], copy.to[2])));
    });
  }

  template <class Work>
  KOKKOS_FUNCTION void prepare(const BoundaryRegion& region, const Work& work) const {
    BeyondBoundary<Real>{x, layout, weights}.template with_values<3>(region, [&]<class Value>(const Value& value) {
      work(stored(value, layout.at(region.box, region.begin[0], region.begin[1], region.begin[2])));
    });
  }

  template <class Value>
  KOKKOS_FUNCTION StoredCell<Real, Value> stored(const Value& value, std::int64_t first) const {
    return {value, x + first, layout.row(), layout.plane()};
  }
};

/// The regions of two lists in one launch.
template <class Real>
struct FillOwnGhosts {
  Items<GhostCopy> copies;
  Items<BoundaryRegion> boundary;
  FillGhosts<Real> fill;

  KOKKOS_FUNCTION int count() const { return copies.count + boundary.count; }

  /// The region of this number, by a team.
  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, int number) const {
    if (number < copies.count) {
      at_cells(team, copies(number), fill);
    } else {
      at_cells(team, boundary(number - copies.count), fill);
    }
  }

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    (*this)(team, team.league_rank());
  }
};

/// Copies from box to box of which none is_outside(), a warp for each: a kernel of few registers, so that many run at
/// once.
template <class Real>
struct CopyBetweenBoxes {
  Items<GhostCopy> copies;
  Real* x;
  BoxLayout layout;
  static constexpr int warps_of_team = 4, warp = 32;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const int number = team.league_rank() * warps_of_team + team.team_rank();
    if (number >= copies.count) return;
    const GhostCopy& copy = copies(number);
    const int ni = copy.size[0], nj = copy.size[1], row = layout.row(), plane = layout.plane();
    const Real* const from = x + layout.at(copy.from_box, copy.from[0], copy.from[1], copy.from[2]);
    Real* const to = x + layout.at(copy.to_box, copy.to[0], copy.to[1], copy.to[2]);
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, ni * nj * copy.size[2]), [&](int cell) {
      const int j = cell / ni, k = j / nj, place = cell - j * ni + (j - k * nj) * row + k * plane;
      to[place] = from[place];
    });
  }
};

/// More copies than this have a launch of their own on GPUs: fewer take less time than one launch more.
inline constexpr int many_copies = 16384;

/// Launches it; `copies` and `boundary` are its lists, and the first `num_plain` copies are not is_outside().
template <execution_space Exec, class Copies, class Boundary, class Real>
void fill_own_ghosts(const Exec& exec, const Copies& copies, const Boundary& boundary, int num_plain,
                     const FillOwnGhosts<Real>& own) {
  const std::string label = "ashlar::multigrid::exchange";
  if constexpr (is_gpu_v<Exec>) {
    if (num_plain > many_copies) {
      using Plain = CopyBetweenBoxes<Real>;
      const int teams = (num_plain + Plain::warps_of_team - 1) / Plain::warps_of_team;
      Kokkos::parallel_for(label, Kokkos::TeamPolicy<Exec>(exec, teams, Plain::warps_of_team, Plain::warp),
                           Plain{{own.copies.first, num_plain}, own.fill.x, own.fill.layout});
      const FillOwnGhosts<Real> rest{
          {own.copies.first + num_plain, own.copies.count - num_plain}, own.boundary, own.fill};
      if (rest.count() > 0 && own.fill.weights.points > 0)
        Kokkos::parallel_for(label, Kokkos::TeamPolicy<Exec>(exec, rest.count(), 128), rest);
      return;
    }
    if (own.copies.count > 0 && own.boundary.count > 0) {
      Kokkos::parallel_for(label, Kokkos::TeamPolicy<Exec>(exec, own.count(), 128), own);
      return;
    }
  }
  for_each_region(label, exec, copies, own.fill);
  if (own.boundary.count > 0) for_each_region("ashlar::multigrid::boundary", exec, boundary, own.fill);
}

}  // namespace ashlar::multigrid::impl
