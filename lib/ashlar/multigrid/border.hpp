#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/multigrid/box_grid.hpp>
#include <vector>

/// Where the second colour of a sweep over both cannot be made in the same pass as the first: in the border of a box.
/// Its cells read ghost cells, which are the first colour's, or are read to fill some, and have to be as they were.
namespace ashlar::multigrid {

/// The cells of a box within its border, by direction from `begin` to `end`.
struct InnerCells {
  Index3 begin, end;

  KOKKOS_FUNCTION bool has(int i, int j, int k) const {
    return i >= begin[0] && i < end[0] && j >= begin[1] && j < end[1] && k >= begin[2] && k < end[2];
  }
};

/// Of a box whose first cell is `origin` on the level. Beside a box ghost cells are two cells deep; beyond the domain a
/// polynomial reads four.
KOKKOS_INLINE_FUNCTION InnerCells inner_cells(const Index3& origin, int box_dim, int cells_per_dim) {
  constexpr int beside_box = 2, beside_boundary = 4;
  InnerCells inner{};
  for (int d = 0; d < 3; ++d) {
    const int low = origin[d] == 0 ? beside_boundary : beside_box;
    const int high = box_dim - (origin[d] + box_dim == cells_per_dim ? beside_boundary : beside_box);
    inner.begin[d] = low < box_dim ? low : box_dim;
    inner.end[d] = high > inner.begin[d] ? high : inner.begin[d];
  }
  return inner;
}

/// A part of a box as pairs of neighbours in i, of which a colour has one: `size` counts pairs in i, and of the last
/// ones the second may be missing, where `end_i` is.
struct RegionOfPairs {
  int box = 0;
  Index3 begin{}, size{};
  int end_i = 0;
};

/// The borders of a rank's boxes, each cell once, in parts that are good work for a team: about equal, and about as
/// long in j as in k, since neighbours read the same.
std::vector<RegionOfPairs> border_regions(const BoxGrid& grid);

}  // namespace ashlar::multigrid
