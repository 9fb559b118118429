#pragma once

#include <array>
#include <ashlar/multigrid/box_grid.hpp>
#include <ashlar/multigrid/plans.hpp>

// Cells filled with their numbers, and what ghost cells are to hold then.

namespace ashlar::testing {

using namespace ashlar::multigrid;

inline constexpr std::array shapes{GhostShape::star, GhostShape::no_corners, GhostShape::box};

/// Whether a shape has the cell (i, j, k) of a box of n^3 cells: 1 to 3 of the three numbers lie outside.
inline bool has(GhostShape shape, int n, int i, int j, int k) {
  const auto out = [&](int x) { return int(x < 0 || x >= n); };
  const int outside = out(i) + out(j) + out(k);
  return outside > 0 && outside <= (shape == GhostShape::star ? 1 : shape == GhostShape::no_corners ? 2 : 3);
}

/// Global numbers of cells: exact in double.
inline double number(int n, int i, int j, int k) { return 1 + i + n * (j + double(n) * k); }

/// What the ghost cell (i, j, k) of a box is to hold: a cell's number, `untouched` where the shape leaves it, `beyond`
/// outside of the domain.
inline constexpr double untouched = -1, beyond = -2;
inline double expected(const BoxGrid& grid, GhostShape shape, int box, int i, int j, int k) {
  const int n = grid.box_dim(), all = grid.cells_per_dim();
  if (!has(shape, n, i, j, k)) return untouched;
  const Index3& place = grid.place(box);
  const int at[3] = {place[0] * n + i, place[1] * n + j, place[2] * n + k};
  for (const int x : at) {
    if (x < 0 || x >= all) return beyond;
  }
  return number(all, at[0], at[1], at[2]);
}

template <class Visit>
void for_each_ghost(int n, int depth, const Visit& visit) {
  for (int k = -depth; k < n + depth; ++k) {
    for (int j = -depth; j < n + depth; ++j) {
      for (int i = -depth; i < n + depth; ++i) {
        if (has(GhostShape::box, n, i, j, k)) visit(i, j, k);
      }
    }
  }
}

}  // namespace ashlar::testing
