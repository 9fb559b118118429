#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ashlar::multigrid {

/// Where the cells of equal boxes lie in an array: box after box, each with its ghost cells, i fastest.
struct BoxLayout {
  int dim = 0;     ///< own cells of a box in each direction
  int ghosts = 0;  ///< ghost cells beyond each face

  KOKKOS_FUNCTION int row() const { return dim + 2 * ghosts; }
  KOKKOS_FUNCTION int plane() const { return row() * row(); }
  KOKKOS_FUNCTION std::int64_t volume() const { return std::int64_t(plane()) * row(); }

  /// The place of a cell; ghost cells have numbers below 0 and from dim on.
  KOKKOS_FUNCTION std::int64_t at(int box, int i, int j, int k) const {
    return box * volume() + (std::int64_t(k + ghosts) * row() + j + ghosts) * row() + i + ghosts;
  }
  /// How far apart neighbours in the direction d = 0, 1, 2 lie.
  KOKKOS_FUNCTION std::int64_t stride(int d) const { return d == 0 ? 1 : d == 1 ? row() : plane(); }
};

/// The order of the polynomial that a boundary condition u = 0 makes ghost cells of: through the averages of the 1, 2
/// or 4 cells next to the boundary, and zero there.
enum class BoundaryOrder { linear, quadratic, quartic };

/// A ghost cell as a sum over the cells next to the boundary, the nearest first: by how deep it lies beyond.
template <class Real>
struct BoundaryWeights {
  int points = 1;
  Real of[2][4] = {};
};

/// What `wanted` becomes in boxes of so few cells that they have not enough next to the boundary.
constexpr BoundaryOrder boundary_order(BoundaryOrder wanted, int box_dim) {
  if (box_dim < 2) return BoundaryOrder::linear;
  if (box_dim < 4 && wanted == BoundaryOrder::quartic) return BoundaryOrder::quadratic;
  return wanted;
}

/// Ghost cells deeper than the polynomial is used for are 0: the second ones of all but quartic.
template <class Real>
constexpr BoundaryWeights<Real> boundary_weights(BoundaryOrder order) {
  switch (order) {
    case BoundaryOrder::linear:
      return {1, {{-1}, {}}};
    case BoundaryOrder::quadratic:
      return {2, {{-5. / 2, 1. / 2}, {}}};
    case BoundaryOrder::quartic:
      break;
  }
  return {4, {{-77. / 12, 43. / 12, -17. / 12, 3. / 12}, {-505. / 12, 335. / 12, -145. / 12, 27. / 12}}};
}

/// The assignment of the boxes of a level to ranks: each has a range of them, all about the same number. Groups of
/// `ranks_per_owner` neighbouring ranks give all their boxes to the first of them, their owner.
struct BoxAssignment {
  int num_boxes = 1, num_ranks = 1;
  int ranks_per_owner = 1;

  int owner(int box) const {
    const auto rank = static_cast<int>(std::int64_t(num_ranks) * box / num_boxes);
    return rank - rank % ranks_per_owner;
  }

  /// The range of a rank's boxes: from first_of(rank) on, so many. None where the rank is no owner, and where there are
  /// fewer boxes than ranks perhaps.
  int first_of(int rank) const {
    return static_cast<int>((std::int64_t(num_boxes) * rank + num_ranks - 1) / num_ranks);
  }
  int count_of(int rank) const {
    if (rank >= num_ranks || rank % ranks_per_owner != 0) return 0;
    return first_of(static_cast<int>(std::min(std::int64_t(rank) + ranks_per_owner, std::int64_t(num_ranks)))) -
           first_of(rank);
  }

  /// Calls work(count) with the number of boxes of each rank that has any.
  template <class Work>
  void for_owners(const Work& work) const {
    for (std::int64_t rank = 0; rank < num_ranks; rank += ranks_per_owner) {
      if (const int count = count_of(static_cast<int>(rank)); count > 0) work(count);
    }
  }
  int num_owners() const {
    int owners = 0;
    for_owners([&](int) { ++owners; });
    return owners;
  }
  /// The boxes of the rank that has the most, and of the one that has the fewest of those that have any.
  int most() const {
    int result = 0;
    for_owners([&](int count) { result = std::max(result, count); });
    return result;
  }
  int fewest() const {
    int result = num_boxes;
    for_owners([&](int count) { result = std::min(result, count); });
    return result;
  }
};

/// Three numbers: of cells, of boxes, in i, j and k.
using Index3 = Kokkos::Array<int, 3>;

/// The boxes that a cube of cells is cut into, on one level: cubes of equal size, numbered in Morton order (i fastest),
/// so that boxes with neighbouring numbers lie close together; each rank owns a range of them (BoxAssignment).
class BoxGrid {
 public:
  /// Throws   ArgumentError where a number is not positive, or too large to be meant, or there is no such rank.
  BoxGrid(int boxes_per_dim, int box_dim, int num_ranks = 1, int rank = 0, int ranks_per_owner = 1);

  int boxes_per_dim() const { return boxes_per_dim_; }
  /// Cells of a box, and of the whole level, in each of the three directions.
  int box_dim() const { return box_dim_; }
  int cells_per_dim() const { return boxes_per_dim_ * box_dim_; }
  double cell_width() const { return 1.0 / cells_per_dim(); }

  int num_boxes() const { return static_cast<int>(places_.size()); }
  /// Where the box `box` is, counted in boxes.
  const Index3& place(int box) const { return places_[std::size_t(box)]; }
  /// The box at this place; -1 outside of the cube.
  int box_at(const Index3& place) const;

  /// The boxes are distributed to this number of ranks, the first ones.
  int num_ranks() const { return assignment_.num_ranks; }
  /// How many of them have any, and the boxes of the one that has the most.
  int num_owners() const { return num_owners_; }
  int most_own() const { return assignment_.most(); }
  int rank() const { return rank_; }
  int owner(int box) const { return assignment_.owner(box); }
  /// Whether several ranks have boxes.
  bool is_shared() const { return num_owners_ > 1; }
  /// This rank's own boxes are first_own() and the num_own() - 1 after it; none where the rank is not among the owners.
  int first_own() const { return first_own_; }
  int num_own() const { return num_own_; }

 private:
  int boxes_per_dim_, box_dim_, rank_;
  BoxAssignment assignment_{};
  int first_own_ = 0, num_own_ = 0, num_owners_ = 0;
  std::vector<Index3> places_;
  std::vector<int> numbers_;  // of the boxes, by place
};

/// How many boxes of `box_dim` cells lie side by side in each direction, so that each rank has `boxes_per_rank` or
/// fewer and the cube can be coarsened far: the most of which b^3 <= boxes_per_rank * num_ranks, and b * box_dim
/// without its factors of 2 is at most 11.
///
/// Throws   ArgumentError where a number is not positive, or box_dim is of none of these sizes.
int boxes_per_dimension(int box_dim, std::int64_t boxes_per_rank, int num_ranks);

/// Fewer cells of a coarse level are not worth a rank of their own where nothing else is said: a GPU computes on 32^3
/// in about the time of a message to another one. On CPUs all ranks have some as far as boxes go.
inline constexpr std::int64_t default_min_cells_per_rank = is_gpu_v<Kokkos::DefaultExecutionSpace> ? 32 * 32 * 32 : 0;

/// Options for the boxes of coarse levels.
struct HierarchyOptions {
  /// On levels but the finest neighbouring ranks are taken together, as few as will do, so that each rank that has
  /// boxes has so many cells or more, and rank 0 all of a level of fewer; 0: they are not.
  std::int64_t min_cells_per_rank = default_min_cells_per_rank;
  /// A level but the finest that one rank has alone is one box, where the levels below it are and boxes are not so
  /// small that it would change what lies beyond the boundary.
  bool joins_boxes = true;
};

/// The levels of a multigrid, each with half as many cells in each direction, from the finest to the coarsest.
///
/// Boxes are halved while they have more than 8 cells in a direction, and an even number is left where they are to be
/// merged; then 2 x 2 x 2 boxes become one, on fewer ranks; a single box is halved again. A number of cells
/// that is no power of 2 ends at its odd part, in one box on one rank. No box becomes smaller than `radius`, the reach
/// of the operator.
///
/// The finest level is distributed to all ranks, coarser ones to fewer. A level of one rank is one box if the options
/// say so. Solutions have the same bits with any options.
///
/// Throws   ArgumentError where the finest boxes are smaller than `radius`, or there are several with an odd number of
///          cells: these cannot be coarsened; or where min_cells_per_rank is negative.
std::vector<BoxGrid> make_hierarchy(int boxes_per_dim, int box_dim, int radius, int num_ranks = 1, int rank = 0,
                                    const HierarchyOptions& options = {});

/// The first level of which no rank has `threshold` cells or more: that and all coarser ones are better worked on by
/// the host. Never the finest, 0; grids.size() where there is none. The same on all ranks.
///
/// Throws   ArgumentError where `threshold` is negative.
std::size_t first_host_level(const std::vector<BoxGrid>& grids, std::int64_t threshold);

}  // namespace ashlar::multigrid
