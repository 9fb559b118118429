#pragma once

#include <ashlar/multigrid/box_grid.hpp>
#include <ashlar/multigrid/ghost_plan.hpp>
#include <cstdint>
#include <vector>

namespace ashlar::multigrid {

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
