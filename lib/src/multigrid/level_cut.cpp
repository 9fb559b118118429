#include <ashlar/multigrid/level_cut.hpp>

#include <algorithm>
#include <array>
#include <cstddef>

namespace ashlar::multigrid {

namespace {

void add_in_pieces(const CellRegion& region, const RegionSize& most, std::vector<CellRegion>& to) {
  if (std::min({region.size[0], region.size[1], region.size[2]}) == 0) return;
  Index3 step;
  std::int64_t left = most.most_cells;
  const std::array<int, 3> limits{most.widest, most.highest, region.size[2]};
  for (int d = 0; d < 3; ++d) {
    step[d] = static_cast<int>(std::clamp<std::int64_t>(left, 1, std::min(region.size[d], limits[std::size_t(d)])));
    left /= step[d];
  }
  for (int k = 0; k < region.size[2]; k += step[2]) {
    for (int j = 0; j < region.size[1]; j += step[1]) {
      for (int i = 0; i < region.size[0]; i += step[0]) {
        CellRegion piece = region;
        const Index3 from{i, j, k};
        for (int d = 0; d < 3; ++d) {
          piece.begin[d] += from[d];
          piece.size[d] = std::min(step[d], region.size[d] - from[d]);
        }
        to.push_back(piece);
      }
    }
  }
}

}  // namespace

LevelCut cut_level(const BoxGrid& grid, int depth, const RegionSize& size) {
  const int dim = grid.box_dim(), low = std::min(depth, dim), high = std::max(dim - depth, low);
  LevelCut result;
  for (int box = 0; box < grid.num_own(); ++box) {
    // What is left of the box becomes less direction by direction, and the interior in the end: rows stay whole longest.
    CellRegion left{box, {0, 0, 0}, {dim, dim, dim}};
    for (const std::size_t d : {2, 1, 0}) {
      for (const auto& [begin, end] : {std::array{0, low}, std::array{high, dim}}) {
        CellRegion slab = left;
        slab.begin[d] = begin;
        slab.size[d] = end - begin;
        add_in_pieces(slab, size, result.shell);
      }
      left.begin[d] = low;
      left.size[d] = high - low;
    }
    add_in_pieces(left, size, result.interior);
  }
  return result;
}

}  // namespace ashlar::multigrid
