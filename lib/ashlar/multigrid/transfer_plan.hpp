#pragma once

#include <ashlar/multigrid/box_grid.hpp>
#include <ashlar/multigrid/ghost_plan.hpp>
#include <cstdint>
#include <vector>

namespace ashlar::multigrid {

/// A fine box and the cells of the next coarser level that cover it: a cube of TransferPlan::dim cells from `begin` on,
/// within one coarse box. Boxes are the rank's own, by number from 0; -1: another rank's.
struct TransferBlock {
  int fine_box = -1, coarse_box = -1;
  Index3 begin{};
  std::int64_t buffer = 0;  ///< where its coarse cells begin in the buffer, if one of the boxes is another rank's
};

/// What restriction and interpolation between two levels move, for one rank. Restriction reads the fine boxes, and
/// sends coarse cells: those of `to_coarse` to the owners of the coarse boxes, one message each; those of `from_fine`
/// come in. Interpolation goes the other way, with 8 fine cells for each coarse one.
struct TransferPlan {
  int dim = 0;  ///< coarse cells of a fine box in each direction
  std::vector<TransferBlock> local, to_coarse, from_fine;
  std::vector<GhostMessage> to, from;  ///< in coarse cells, by rank, ascending
  bool is_shared = false;              ///< whether any rank sends something, of which all ranks know
};

/// Throws   ArgumentError where `coarse` has not half the cells of `fine` in each direction, or a fine box lies in
///          several coarse boxes.
TransferPlan make_transfer_plan(const BoxGrid& fine, const BoxGrid& coarse);

}  // namespace ashlar::multigrid
