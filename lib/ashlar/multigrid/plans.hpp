#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/multigrid/box_grid.hpp>
#include <cstdint>
#include <vector>

namespace ashlar::multigrid {

/// Which ghost cells around a box are filled: those beyond its faces; its edges, too; its corners, too.
enum class GhostShape { star, no_corners, box };

/// Where the boxes lie whose cells a shape takes, seen from the box in their middle: -1, 0 or 1 in i, j and k.
std::vector<Index3> directions_of(GhostShape shape);

/// Cells of one box that become ghost cells of another. Boxes are a rank's own, by number from 0; cells count from the
/// box's first own cell, so that ghost cells have negative numbers and those from box_dim on.
struct GhostCopy {
  int from_box = -1, to_box = -1;  ///< -1: from, or to, the buffer
  Index3 from{}, to{}, size{};
  std::int64_t buffer = 0;  ///< where in the buffer its first cell is; i is fastest there, too
  /// As in BoundaryRegion, if both lie beyond the domain: the values follow from `from_box` itself, by the boundary
  /// condition there.
  Index3 outside{};

  KOKKOS_FUNCTION bool is_outside() const { return outside[0] != 0 || outside[1] != 0 || outside[2] != 0; }
};

/// A message to or from one rank: entries [begin, begin + count) of the buffer.
struct GhostMessage {
  int rank = 0;
  std::int64_t begin = 0, count = 0;
};

/// Ghost cells outside of the domain, which follow from a boundary condition.
struct BoundaryRegion {
  int box = 0;
  Index3 begin{}, size{};
  Index3 outside{};  ///< by direction: -1 or 1 where they lie beyond the domain's low or high side, else 0
};

/// How the ghost cells of one rank's boxes are filled, on one level: prebuilt lists, and one message a neighbour rank
/// however many boxes there are. `pack` fills the outgoing buffer; `local` copies from box to box; `unpack`
/// reads the incoming buffer; `boundary` follows from the box's own cells. None of them reads a ghost cell,
/// so that all but `unpack` may be done simultaneously.
struct GhostPlan {
  std::vector<GhostCopy> pack, local, unpack;
  std::vector<GhostMessage> to, from;  ///< by rank, ascending
  std::vector<BoundaryRegion> boundary;
  /// Beyond the domain, too, and beside another box. They are among the copies; here for who has no boundary condition,
  /// copies what lies within the domain alone, and then fills these from the ghost cells.
  std::vector<BoundaryRegion> beside_boxes;
  bool is_shared = false;  ///< whether any rank sends something, of which all ranks know

  std::int64_t num_sent() const;
  std::int64_t num_received() const;
};

/// The plan of `grid.rank()`. It depends on the grid alone, so ranks need not talk to make plans that fit together.
///
/// `faces_of` 0, 1 or 2: the cells hold what belongs to their low faces normal to i, j or k. Then there is one layer
/// more at the domain's high side in that direction, which is filled as the others are.
///
/// Throws   ArgumentError where boxes are smaller than `depth`, the number of ghost cells beyond a face.
GhostPlan make_ghost_plan(const BoxGrid& grid, int depth, GhostShape shape, int faces_of = -1);

/// A fine box and the cells of the next coarser level that cover it: a cube of TransferPlan::dim cells from `begin` on,
/// within one coarse box. Boxes are the rank's own, by number from 0; -1: another rank's.
struct TransferBlock {
  int fine_box = -1, coarse_box = -1;
  Index3 begin{};
  std::int64_t buffer = 0;  ///< where its coarse cells begin in the buffer, if one of the boxes is another rank's
};

/// The transfers between two levels, for one rank. Restriction reads the fine boxes, sends the coarse cells of
/// `to_coarse` to the owners of the coarse boxes, one message each, and receives the coarse cells of `from_fine`.
/// Interpolation goes the other way, with 8 fine cells for each coarse one.
struct TransferPlan {
  int dim = 0;  ///< coarse cells of a fine box in each direction
  std::vector<TransferBlock> local, to_coarse, from_fine;
  std::vector<GhostMessage> to, from;  ///< in coarse cells, by rank, ascending
  bool is_shared = false;              ///< whether any rank sends something, of which all ranks know
};

/// Throws   ArgumentError where `coarse` has not half the cells of `fine` in each direction, or a fine box lies in
///          several coarse boxes.
TransferPlan make_transfer_plan(const BoxGrid& fine, const BoxGrid& coarse);

/// Own cells of a box. Boxes are a rank's own, by number from 0.
struct CellRegion {
  int box = 0;
  Index3 begin{}, size{};
};

/// How large the regions of a list may be, so that each is a good piece of work for a thread or a team: cells in i, in
/// j, and in all.
struct RegionSize {
  int widest, highest;
  std::int64_t most_cells;
};

/// The cells of a rank's boxes in two parts. The shell is what lies next to boxes of other ranks: those that an
/// operator reads ghost cells at which follow from other ranks' cells, and, for the same reason seen from over there,
/// those that are sent. The interior is all the others. So who computes the interior reads nothing that comes from
/// another rank, and writes nothing that goes to one, nor what such is worked out from: that lies along the boundary,
/// as near to the other rank's box.
struct LevelCut {
  std::vector<CellRegion> interior, shell;
};

/// Cuts the level of a grid, for an operator that reaches over `depth` cells to ghost cells of this shape.
LevelCut cut_level(const BoxGrid& grid, int depth, GhostShape shape, const RegionSize& size);

}  // namespace ashlar::multigrid
