#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/device/copy_word_async.hpp>
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
  static_assert(FacePlanes::row == row && FacePlanesAbove::row == row);
  static_assert(FacePlanes::rows == FacePlanesAbove::rows && FacePlanes::columns == FacePlanesAbove::columns);

  CellPlanes x;
  FacePlanes beta_i, beta_j;
  FacePlanesAbove beta_k;

  KOKKOS_FUNCTION explicit MarchRings(Real* scratch)
      : x(scratch),
        beta_i(scratch + CellPlanes::size),
        beta_j(scratch + CellPlanes::size + FacePlanes::size),
        beta_k(scratch + CellPlanes::size + 2 * FacePlanes::size) {}

  /// A lane's part in bringing plane p of x, if the box has one, on its way here.
  template <int threads>
  KOKKOS_FUNCTION void load_cells(const StencilData<Real>& data, const BoxLayout& layout, const MarchPart& part,
                                  int lane, int p) const {
    if (p < -layout.ghosts || p >= layout.dim + layout.ghosts) return;
    const Real* const from = data.x + layout.at(part.box, part.i0, part.j0, p);
    Real* const to = x.first_of(p);
    const int stride = layout.row();
    CellPlanes::template for_places<threads>(lane, Window::of(layout, part.i0, part.j0), [&](int place, int i, int j) {
      copy_word_async(to + place, from + j * stride + i);
    });
  }

  /// The same of coefficients; those of faces normal to k where they are wanted.
  template <int threads>
  KOKKOS_FUNCTION void load_faces(const StencilData<Real>& data, const BoxLayout& layout, const MarchPart& part,
                                  int lane, int p, bool above) const {
    if (p < -layout.ghosts || p >= layout.dim + layout.ghosts) return;
    const std::int64_t first = layout.at(part.box, part.i0, part.j0, p);
    const Real *const from_i = data.beta[0] + first, *const from_j = data.beta[1] + first,
                      *const from_k = data.beta[2] + first;
    Real *const to_i = beta_i.first_of(p), *const to_j = beta_j.first_of(p), *const to_k = beta_k.first_of(p);
    const int stride = layout.row();
    FacePlanes::template for_places<threads>(lane, Window::of(layout, part.i0, part.j0), [&](int place, int i, int j) {
      const int from = j * stride + i;
      copy_word_async(to_i + place, from_i + from);
      copy_word_async(to_j + place, from_j + from);
      if (above) copy_word_async(to_k + place, from_k + from);
    });
  }
};

}  // namespace ashlar::multigrid::impl
