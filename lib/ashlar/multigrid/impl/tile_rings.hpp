#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/device/loads/copy_async.hpp>
#include <ashlar/multigrid/box_grid.hpp>
#include <ashlar/multigrid/stencil.hpp>
#include <ashlar/multigrid/sweep_form.hpp>
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

/// The planes of a tile that a team has in scratch memory while it makes plane k: x by cell, and the coefficients of
/// the faces normal to i and j, and to k. All rows have the same length.
template <class Type, int width, int height>
struct TileRings {
  using Real = Type;
  using Cells = PlaneRing<Real, 6, width, height, 2>;       // from k - 2 to k + 3, which is on its way
  using Faces = PlaneRing<Real, 4, width, height, 1>;       // normal to i and j: from k - 1 to k + 2
  using FacesAbove = PlaneRing<Real, 3, width, height, 1>;  // normal to k: from k to k + 2
  static constexpr int size = Cells::size + 2 * Faces::size + FacesAbove::size;  // numbers
  static constexpr int row = Cells::row;

  Cells x;
  Faces beta_i, beta_j;
  FacesAbove beta_k;

  KOKKOS_FUNCTION explicit TileRings(Real* scratch)
      : x(scratch),
        beta_i(scratch + Cells::size),
        beta_j(scratch + Cells::size + Faces::size),
        beta_k(scratch + Cells::size + 2 * Faces::size) {}
};

/// A lane's part in bringing planes of a tile to the rings.
template <class Rings, int threads>
class TileCopies {
 public:
  using Real = typename Rings::Real;

  TileCopies() = default;

  KOKKOS_FUNCTION TileCopies(const StencilData<Real>& data, const BoxLayout& layout, const PlanePart& part, int lane)
      : cells_(layout, part.i0, part.j0, lane), faces_(layout, part.i0, part.j0, lane) {
    std::uintptr_t places = reinterpret_cast<std::uintptr_t>(data.x);
    for (const Real* const beta : data.beta) places |= reinterpret_cast<std::uintptr_t>(beta);
    are_aligned_ = layout.row() % 2 == 0 && layout.ghosts % 2 == 0 && places % sizeof(NeighbourPair<Real>) == 0;
  }

  /// Plane p of x, if the box has one, is on its way.
  KOKKOS_FUNCTION void begin_cells(const Rings& rings, const StencilData<Real>& data, const BoxLayout& layout,
                                   const PlanePart& part, int lane, int p) const {
    if (p < -layout.ghosts || p >= layout.dim + layout.ghosts) return;
    cells_.copy(rings.x.first_of(p), data.x + layout.at(part.box, part.i0, part.j0, p), are_aligned_, lane);
  }

  /// The same of coefficients; of faces normal to k only if `above`.
  KOKKOS_FUNCTION void begin_faces(const Rings& rings, const StencilData<Real>& data, const BoxLayout& layout,
                                   const PlanePart& part, int lane, int p, bool above) const {
    if (p < -layout.ghosts || p >= layout.dim + layout.ghosts) return;
    const std::int64_t first = layout.at(part.box, part.i0, part.j0, p);
    faces_.copy(rings.beta_i.first_of(p), data.beta[0] + first, are_aligned_, lane);
    faces_.copy(rings.beta_j.first_of(p), data.beta[1] + first, are_aligned_, lane);
    if (above) faces_.copy(rings.beta_k.first_of(p), data.beta[2] + first, are_aligned_, lane);
  }

 private:
  CopiedPairs<decltype(Rings::x), threads> cells_;
  CopiedPairs<decltype(Rings::beta_i), threads> faces_;
  bool are_aligned_ = false;
};

/// The surroundings of cell (i, j, k) of a tile, in scratch memory (TileRings). Cells are named by their distance.
template <class Rings>
struct TileSurroundings {
  using Real = typename Rings::Real;
  static constexpr int row = Rings::row;

  const Real *x[5], *beta_i[3], *beta_j[3], *beta_k[2];  // by plane: from k - 2, k - 1 and k on

  KOKKOS_FUNCTION TileSurroundings(const Rings& rings, int i, int j, int k) {
    for (int p = 0; p < 5; ++p) x[p] = rings.x.cell(k - 2 + p, i, j);
    for (int p = 0; p < 3; ++p) {
      beta_i[p] = rings.beta_i.cell(k - 1 + p, i, j);
      beta_j[p] = rings.beta_j.cell(k - 1 + p, i, j);
    }
    for (int p = 0; p < 2; ++p) beta_k[p] = rings.beta_k.cell(k + p, i, j);
  }

  KOKKOS_FUNCTION Real here() const { return x[2][0]; }

  /// Through the low face of a cell that is normal to d.
  template <int d>
  KOKKOS_FUNCTION Real flux(int i, int j, int k) const {
    return fv4_flux<d>(face<d>(i, j, k),
                       [&](int di, int dj, int dk) { return x[2 + k + dk][i + di + (j + dj) * row]; });
  }

 private:
  template <int d>
  KOKKOS_FUNCTION FaceOfFv4<Real> face(int i, int j, int k) const {
    const int at = i + j * row;
    if constexpr (d == 0) {
      const Real* const beta = beta_i[1 + k];
      return {beta[at], beta[at + row] - beta[at - row], beta_i[2 + k][at] - beta_i[k][at]};
    } else if constexpr (d == 1) {
      const Real* const beta = beta_j[1 + k];
      return {beta[at], beta_j[2 + k][at] - beta_j[k][at], beta[at + 1] - beta[at - 1]};
    } else {
      const Real* const beta = beta_k[k];
      return {beta[at], beta[at + 1] - beta[at - 1], beta[at + row] - beta[at - row]};
    }
  }
};

}  // namespace ashlar::multigrid::impl
