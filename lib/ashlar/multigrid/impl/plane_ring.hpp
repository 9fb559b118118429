#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/device/loads/copy_async.hpp>
#include <ashlar/multigrid/box_layout.hpp>
#include <cstdint>

namespace ashlar::multigrid::impl {

/// Two neighbours in i, which copies and loads take together where they can.
template <class Real>
struct alignas(2 * sizeof(Real)) NeighbourPair {
  Real first, second;
};

/// Planes of a tile in a team's scratch memory: Depth that follow each other, so that a new one takes the place of the
/// oldest. A plane has the tile's Width x Height cells, with Halo more rows beyond each side and two more columns.
/// Pairs of neighbours begin at columns of even number.
template <class Type, int Depth, int Width, int Height, int Halo>
class PlaneRing {
 public:
  using Real = Type;
  static constexpr int halo = Halo, around = 2, rows = Height + 2 * Halo, row = Width + 2 * around;
  static constexpr int plane = rows * row, size = Depth * plane;
  static_assert(row % 2 == 0);

  KOKKOS_FUNCTION explicit PlaneRing(Real* begin) : begin_(begin) {}

  /// Cell (i, j) of plane p, which is -Depth or more.
  KOKKOS_FUNCTION Real* cell(int p, int i, int j) const { return first_of(p) + (j + Halo) * row + around + i; }

  /// Where the first of all cells of plane p is, (-around, -Halo).
  KOKKOS_FUNCTION Real* first_of(int p) const { return begin_ + int(unsigned(p + Depth) % unsigned(Depth)) * plane; }

 private:
  Real* begin_;
};

/// A lane's part in the copies of planes to a ring: which pairs of cells it copies. That is found once for all planes,
/// as it takes longer than a copy.
template <class Ring, int threads>
class CopiedPairs {
 public:
  using Real = typename Ring::Real;

  CopiedPairs() = default;

  /// For the tile of a box whose first cell is (i0, j0).
  KOKKOS_FUNCTION CopiedPairs(const BoxLayout& layout, int i0, int j0, int lane) {
    const int low = -layout.ghosts, high = layout.dim + layout.ghosts;
    for (int q = 0; q < count; ++q) {
      const int pair = q * threads + lane;
      const int i = pair % pairs_of_row * 2 - Ring::around, j = pair / pairs_of_row - Ring::halo;
      const bool has_row = pair < Ring::plane / 2 && low <= j0 + j && j0 + j < high;
      const bool has_first = has_row && low <= i0 + i && i0 + i < high,
                 has_second = has_row && low <= i0 + i + 1 && i0 + i + 1 < high;
      places_[q] = 4 * (j * layout.row() + i) + (has_first ? 1 : 0) + (has_second ? 2 : 0);
    }
  }

  /// Begins copies of a plane of the box, whose cell (i0, j0) is `from`, to where a plane's first cell is.
  ///
  /// are_aligned  whether each pair is aligned to its size, and both of its cells exist or neither
  KOKKOS_FUNCTION void copy(Real* to, const Real* from, bool are_aligned, int lane) const {
    for (int q = 0; q < count; ++q) {
      const int exist = places_[q] & 3;
      if (exist == 0) continue;
      Real* const pair = to + 2 * (q * threads + lane);
      const Real* const source = from + (places_[q] >> 2);
      if (are_aligned) {
        copy_word_async(reinterpret_cast<NeighbourPair<Real>*>(pair),
                        reinterpret_cast<const NeighbourPair<Real>*>(source));
      } else {
        if ((exist & 1) != 0) copy_word_async(pair, source);
        if ((exist & 2) != 0) copy_word_async(pair + 1, source + 1);
      }
    }
  }

 private:
  static constexpr int pairs_of_row = Ring::row / 2, count = (Ring::plane / 2 + threads - 1) / threads;

  int places_[count] = {};  // 4 times the distance of the pair from cell (i0, j0), and which of it exist: 1 + 2
};

/// The two values of neighbours in i, one or two of which exist.
template <class Real>
KOKKOS_FUNCTION void store_neighbours(Real* to, Real first, Real second, bool has_second) {
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
  if (has_second && reinterpret_cast<std::uintptr_t>(to) % sizeof(NeighbourPair<Real>) == 0) {
    *reinterpret_cast<NeighbourPair<Real>*>(to) = {first, second};
    return;
  }
#endif
  to[0] = first;
  if (has_second) to[1] = second;
}

}  // namespace ashlar::multigrid::impl
