#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/multigrid/box_grid.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ashlar::multigrid {

/// How many boxes of `box_dim` cells lie side by side in each direction, so that each rank has `boxes_per_rank` or
/// fewer and the cube can be coarsened far: the most of which b^3 <= boxes_per_rank * num_ranks, and b * box_dim
/// without its factors of 2 is at most 11.
///
/// Throws   ArgumentError where a number is not positive, or box_dim is of none of these sizes.
int boxes_per_dimension(int box_dim, std::int64_t boxes_per_rank, int num_ranks);

/// Fewer cells of a coarse level are not worth a rank of their own where nothing else is said: a GPU computes on 32^3
/// in about the time of a message to another one. On CPUs all ranks have some as far as boxes go.
inline constexpr std::int64_t default_min_cells_per_rank = is_gpu_v<Kokkos::DefaultExecutionSpace> ? 32 * 32 * 32 : 0;

/// What else becomes of the boxes of coarse levels.
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
/// merged; then 2 x 2 x 2 boxes become one, on fewer ranks; what is one box at last is halved again. A number of cells
/// that is no power of 2 ends at its odd part, in one box on one rank. No box becomes smaller than `radius`, the reach
/// of the operator.
///
/// The finest level is dealt to all ranks; coarser ones to fewer, and what one rank has alone is one box, as the
/// options say. What is solved has the same bits with any of them.
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
