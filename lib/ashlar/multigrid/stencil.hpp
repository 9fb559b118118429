#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

/// The operators: A u = a alpha u - b div(beta grad u), where u are averages over cells, and beta over faces, as the
/// fluxes through faces. Functions of the device, for vectors whose ghost cells have been filled.
namespace ashlar::multigrid {

/// The data that both operators read: vectors by cell, the faces' coefficients at the cell on whose low side the face
/// is. Real is the type of all entries, here and below.
template <class Real>
struct StencilData {
  const Real* x = nullptr;
  const Real* alpha = nullptr;  ///< nullptr: there is no term a alpha u
  const Real* beta[3] = {};
  Real a = 0, b_over_h2 = 0;
  int row = 0, plane = 0;  ///< between neighbours in j, and in k

  /// Between neighbours in the direction d.
  template <int d>
  KOKKOS_FUNCTION int stride() const {
    return d == 0 ? 1 : d == 1 ? row : plane;
  }

  /// Of a cell whose x is `here`.
  KOKKOS_FUNCTION Real with_alpha(std::int64_t c, Real here, Real fluxes) const {
    return (alpha != nullptr ? a * alpha[c] * here : 0) - b_over_h2 * fluxes;
  }
};

/// The operator of order 2: differences of neighbours.
template <class Type>
struct Fv2Stencil {
  using Real = Type;
  StencilData<Real> data;
  static constexpr Real scale = 1;

  /// beta grad u through the low face of a cell that is normal to d, times h / scale.
  template <int d>
  KOKKOS_FUNCTION Real flux(std::int64_t c) const {
    return data.beta[d][c] * (data.x[c] - data.x[c - data.template stride<d>()]);
  }
};

/// The coefficients of a face in the operator of order 4: its beta, and how beta changes along the face, from the
/// neighbours in the two directions after its normal's (j and k of a face normal to i; k and i; i and j).
template <class Real>
struct FaceOfFv4 {
  Real beta, along_t, along_u;
};

/// Through the low face normal to d of a cell, where x(i, j, k) is as many cells away: the difference across a face
/// reads two cells on either side, and as the average of a product is not the product of averages, the change of beta
/// along the face times the change of the difference is added. Whatever computes a flux calls this: bits are the same.
///
/// Source   McCorquodale & Colella 2011, "A high-order finite-volume method for conservation laws on locally refined
///          grids".
template <int d, class Real, class Cells>
KOKKOS_FORCEINLINE_FUNCTION Real fv4_flux(const FaceOfFv4<Real>& face, const Cells& x) {
  const auto at = [&](int s, int t, int u) {
    if constexpr (d == 0) {
      return x(s, t, u);
    } else if constexpr (d == 1) {
      return x(u, s, t);
    } else {
      return x(t, u, s);
    }
  };
  const Real straight = face.beta * (60 * (at(0, 0, 0) - at(-1, 0, 0)) - 4 * (at(1, 0, 0) - at(-2, 0, 0)));
  const Real along_t = face.along_t * ((at(0, 1, 0) - at(0, -1, 0)) - (at(-1, 1, 0) - at(-1, -1, 0)));
  const Real along_u = face.along_u * ((at(0, 0, 1) - at(0, 0, -1)) - (at(-1, 0, 1) - at(-1, 0, -1)));
  return straight + (along_t + along_u);
}

/// The sum of the fluxes into a cell through its six faces: low and high by direction.
template <class Real, class Cells>
KOKKOS_FORCEINLINE_FUNCTION Real fv4_fluxes(const FaceOfFv4<Real> (&low)[3], const FaceOfFv4<Real> (&high)[3],
                                            const Cells& x) {
  const auto next_i = [&](int i, int j, int k) { return x(i + 1, j, k); };
  const auto next_j = [&](int i, int j, int k) { return x(i, j + 1, k); };
  const auto next_k = [&](int i, int j, int k) { return x(i, j, k + 1); };
  return (fv4_flux<0>(high[0], next_i) - fv4_flux<0>(low[0], x)) +
         (fv4_flux<1>(high[1], next_j) - fv4_flux<1>(low[1], x)) +
         (fv4_flux<2>(high[2], next_k) - fv4_flux<2>(low[2], x));
}

template <class Type>
struct Fv4Stencil {
  using Real = Type;
  StencilData<Real> data;
  static constexpr Real scale = Real(1) / 48;

  template <int d>
  KOKKOS_FUNCTION FaceOfFv4<Real> face(std::int64_t c) const {
    const Real* const beta = data.beta[d] + c;
    const int t = data.template stride<(d + 1) % 3>(), u = data.template stride<(d + 2) % 3>();
    return {beta[0], beta[t] - beta[-t], beta[u] - beta[-u]};
  }

  template <int d>
  KOKKOS_FUNCTION Real flux(std::int64_t c) const {
    const Real* const x = data.x + c;
    return fv4_flux<d>(face<d>(c), [&](int i, int j, int k) { return x[i + (j * data.row + k * data.plane)]; });
  }
};

/// The sum of the fluxes into a cell through its six faces.
template <class Stencil>
KOKKOS_FUNCTION typename Stencil::Real fluxes_at(const Stencil& stencil, std::int64_t c) {
  const auto& data = stencil.data;
  return (stencil.template flux<0>(c + 1) - stencil.template flux<0>(c)) +
         (stencil.template flux<1>(c + data.row) - stencil.template flux<1>(c)) +
         (stencil.template flux<2>(c + data.plane) - stencil.template flux<2>(c));
}

/// A u at a cell whose u is `here`, from these.
template <class Stencil>
KOKKOS_FUNCTION typename Stencil::Real applied(const Stencil& stencil, std::int64_t c, typename Stencil::Real here,
                                               typename Stencil::Real fluxes) {
  return stencil.data.with_alpha(c, here, fluxes * Stencil::scale);
}

}  // namespace ashlar::multigrid
