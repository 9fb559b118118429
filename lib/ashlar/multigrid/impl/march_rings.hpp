#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/multigrid/box_layout.hpp>
#include <ashlar/multigrid/impl/march_tiles.hpp>
#include <ashlar/multigrid/impl/plane_ring.hpp>
#include <ashlar/multigrid/stencil.hpp>
#include <cstdint>

namespace ashlar::multigrid::impl {

/// The planes of a tile that a team has in scratch memory: x by cell, and the coefficients of the faces normal to i and
/// j, and to k, of which fewer planes are wanted. All rows are as long.
template <class CellPlanes, class FacePlanes, class FacePlanesAbove>
struct MarchRings {
  using Real = typename CellPlanes::Real;
  static constexpr int size = CellPlanes::size + 2 * FacePlanes::size + FacePlanesAbove::size;  // numbers
  static constexpr int row = CellPlanes::row;
  static_assert(FacePlanes::row == row && FacePlanes::around == CellPlanes::around);
  static_assert(FacePlanesAbove::plane == FacePlanes::plane && FacePlanesAbove::around == FacePlanes::around &&
                FacePlanesAbove::halo == FacePlanes::halo);  // so that a lane copies the same of either

  CellPlanes x;
  FacePlanes beta_i, beta_j;
  FacePlanesAbove beta_k;

  KOKKOS_FUNCTION explicit MarchRings(Real* scratch)
      : x(scratch),
        beta_i(scratch + CellPlanes::size),
        beta_j(scratch + CellPlanes::size + FacePlanes::size),
        beta_k(scratch + CellPlanes::size + 2 * FacePlanes::size) {}
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

}  // namespace ashlar::multigrid::impl
