#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/multigrid/stencil.hpp>

namespace ashlar::multigrid::impl {

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
