#pragma once

#include <ashlar/multigrid/box_grid.hpp>
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

/// The cells of a rank's boxes in two parts. The shell is what lies near a face of its box: cells that an operator reads
/// ghost cells at, and cells that ghost cells are made of. The interior is all the others. So who computes the interior
/// reads no ghost cell, and writes nothing that is read to fill them.
struct LevelCut {
  std::vector<CellRegion> interior, shell;
};

/// Cuts the level of a grid `depth` cells from the faces of boxes: in boxes of 2 * depth or fewer all is shell.
LevelCut cut_level(const BoxGrid& grid, int depth, const RegionSize& size);

}  // namespace ashlar::multigrid
