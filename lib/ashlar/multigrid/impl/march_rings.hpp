#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/multigrid/box_layout.hpp>
#include <ashlar/multigrid/impl/march_tiles.hpp>
#include <ashlar/multigrid/impl/plane_ring.hpp>
#include <ashlar/multigrid/stencil.hpp>
#include <cstdint>

namespace ashlar::multigrid::impl {

/// The planes of a tile that a team has in scratch memory while it makes plane k: x by cell, and the coefficients of
/// the faces normal to i and j, and to k. All rows have the same length.
template <class Type, int width, int height>
struct MarchRings {
  using Real = Type;
  using Cells = PlaneRing<Real, 6, width, height, 2>;       // from k - 2 to k + 3, which is on its way
  using Faces = PlaneRing<Real, 4, width, height, 1>;       // normal to i and j: from k - 1 to k + 2
  using FacesAbove = PlaneRing<Real, 3, width, height, 1>;  // normal to k: from k to k + 2
  static constexpr int size = Cells::size + 2 * Faces::size + FacesAbove::size;  // numbers
  static constexpr int row = Cells::row;

  Cells x;
  Faces beta_i, beta_j;
  FacesAbove beta_k;

  KOKKOS_FUNCTION explicit MarchRings(Real* scratch)
      : x(scratch),
        beta_i(scratch + Cells::size),
        beta_j(scratch + Cells::size + Faces::size),
        beta_k(scratch + Cells::size + 2 * Faces::size) {}
};

/// A lane's part in bringing planes of a tile to the rings.
template <class Rings, int threads>
class MarchCopies {
 public:
  using Real = typename Rings::Real;

  MarchCopies() = default;

  KOKKOS_FUNCTION MarchCopies(const StencilData<Real>& data, const BoxLayout& layout, const MarchPart& part, int lane)
      : cells_(layout, part.i0, part.j0, lane), faces_(layout, part.i0, part.j0, lane) {
    std::uintptr_t places = reinterpret_cast<std::uintptr_t>(data.x);
    for (const Real* const beta : data.beta) places |= reinterpret_cast<std::uintptr_t>(beta);
    are_aligned_ = layout.row() % 2 == 0 && layout.ghosts % 2 == 0 && places % sizeof(NeighbourPair<Real>) == 0;
  }

  /// Plane p of x, if the box has one, is on its way.
  KOKKOS_FUNCTION void begin_cells(const Rings& rings, const StencilData<Real>& data, const BoxLayout& layout,
                                   const MarchPart& part, int lane, int p) const {
    if (p < -layout.ghosts || p >= layout.dim + layout.ghosts) return;
    cells_.copy(rings.x.first_of(p), data.x + layout.at(part.box, part.i0, part.j0, p), are_aligned_, lane);
  }

  /// The same of coefficients; those of faces normal to k where they are wanted.
  KOKKOS_FUNCTION void begin_faces(const Rings& rings, const StencilData<Real>& data, const BoxLayout& layout,
                                   const MarchPart& part, int lane, int p, bool above) const {
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

/// What is around cell (i, j, k) of a tile, in scratch memory (MarchRings). Cells are told by their distance from it.
template <class Rings>
struct MarchSurroundings {
  using Real = typename Rings::Real;
  static constexpr int row = Rings::row;

  const Real *x[5], *beta_i[3], *beta_j[3], *beta_k[2];  // by plane: from k - 2, k - 1 and k on

  KOKKOS_FUNCTION MarchSurroundings(const Rings& rings, int i, int j, int k) {
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
