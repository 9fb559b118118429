#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/multigrid/box_layout.hpp>
#include <cstdint>

namespace ashlar::multigrid::impl {

/// Which cells around a tile exist, counted from its first one.
struct Window {
  int begin_i, end_i, begin_j, end_j;

  /// Those of a box whose cell (i0, j0) is the tile's first.
  KOKKOS_FUNCTION static Window of(const BoxLayout& layout, int i0, int j0) {
    const int low = -layout.ghosts, high = layout.dim + layout.ghosts;
    return {low - i0, high - i0, low - j0, high - j0};
  }
  KOKKOS_FUNCTION bool has(int i, int j) const { return i >= begin_i && i < end_i && j >= begin_j && j < end_j; }
};

/// Planes of a tile in a team's scratch memory: Depth that follow each other, so that a new one takes the place of the
/// oldest. A plane has the tile's Width x Height cells and Halo more beyond each side; rows are as long as with Around
/// more. In a row every second cell comes first, then the others: lanes that each take every second cell, as those of a
/// colour are, read neighbouring places.
template <class Type, int Depth, int Width, int Height, int Halo, int Around = Halo>
class PlaneRing {
 public:
  using Real = Type;
  static constexpr int columns = Width + 2 * Halo, rows = Height + 2 * Halo;
  static constexpr int half_row = (Width + 2 * Around + 1) / 2, row = 2 * half_row;
  static constexpr int plane = rows * row, size = Depth * plane;

  KOKKOS_FUNCTION explicit PlaneRing(Real* begin) : begin_(begin) {}

  /// Where in a row cell i is. Cells i + 2 and i - 2 are beside.
  KOKKOS_FUNCTION static int column(int i) { return ((i + Around) & 1) * half_row + ((i + Around) >> 1); }

  /// Row j of plane p, which is -Depth or more.
  KOKKOS_FUNCTION Real* row_of(int p, int j) const {
    return begin_ + int(unsigned(p + Depth) % unsigned(Depth)) * plane + (j + Halo) * row;
  }

  /// Where the first cell of plane p is, (-Halo, -Halo).
  KOKKOS_FUNCTION Real* first_of(int p) const { return row_of(p, -Halo); }

  /// This lane's part of all places of a plane: copy(to, i, j) with where cell (i, j) of the tile is after the first
  /// of the plane, first_of(p), if it exists.
  template <int Threads, class Copy>
  KOKKOS_FUNCTION static void for_places(int lane, const Window& window, const Copy& copy) {
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
#pragma unroll
#endif
    for (int q = 0; q < (columns * rows + Threads - 1) / Threads; ++q) {
      const int at = q * Threads + lane;
      const int j = at / columns - Halo, i = at % columns - Halo;
      if (at < columns * rows && window.has(i, j)) copy((j + Halo) * row + column(i), i, j);
    }
  }

 private:
  Real* begin_;
};

/// The two values of neighbours in i, one or two of which exist.
template <class Real>
KOKKOS_FUNCTION void store_neighbours(Real* to, Real first, Real second, bool has_second) {
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
  if (has_second && reinterpret_cast<std::uintptr_t>(to) % (2 * sizeof(Real)) == 0) {
    struct alignas(2 * sizeof(Real)) Pair {
      Real first, second;
    };
    *reinterpret_cast<Pair*>(to) = Pair{first, second};
    return;
  }
#endif
  to[0] = first;
  if (has_second) to[1] = second;
}

}  // namespace ashlar::multigrid::impl
