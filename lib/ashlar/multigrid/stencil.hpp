#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

/// The operators: A u = a alpha u - b div(beta grad u), where u are averages over cells, and beta over faces, as the
/// fluxes through faces. Functions of the device, for vectors whose ghost cells have been filled.
namespace ashlar::multigrid {

/// What both operators read; vectors by cell, the faces' coefficients at the cell on whose low side the face is.
struct StencilData {
  const double* x = nullptr;
  const double* alpha = nullptr;  ///< nullptr: there is no term a alpha u
  const double* beta[3] = {};
  double a = 0, b_over_h2 = 0;
  std::int64_t stride[3] = {};  ///< between neighbours in i, j and k

  KOKKOS_FUNCTION double with_alpha(std::int64_t c, double fluxes) const {
    return (alpha != nullptr ? a * alpha[c] * x[c] : 0) - b_over_h2 * fluxes;
  }
};

/// Of order 2: differences of neighbours.
struct Fv2Stencil {
  StencilData data;
  static constexpr double scale = 1;

  /// beta grad u through the low face of a cell that is normal to d, times h / scale.
  template <int d>
  KOKKOS_FUNCTION double flux(std::int64_t c) const {
    return data.beta[d][c] * (data.x[c] - data.x[c - data.stride[d]]);
  }
};

/// Of order 4: the difference across a face reads two cells on either side, and as the average of a product is not the
/// product of averages, the change of beta along the face times that of the difference is added.
///
/// Source   McCorquodale & Colella 2011, "A high-order finite-volume method for conservation laws on locally refined
///          grids".
struct Fv4Stencil {
  StencilData data;
  static constexpr double scale = 1. / 48;

  template <int d>
  KOKKOS_FUNCTION double flux(std::int64_t c) const {
    const double *const x = data.x, *const beta = data.beta[d];
    const std::int64_t s = data.stride[d], t = data.stride[(d + 1) % 3], u = data.stride[(d + 2) % 3];
    const double straight = beta[c] * (60 * (x[c] - x[c - s]) - 4 * (x[c + s] - x[c - 2 * s]));
    const double along_t = (beta[c + t] - beta[c - t]) * ((x[c + t] - x[c - t]) - (x[c - s + t] - x[c - s - t]));
    const double along_u = (beta[c + u] - beta[c - u]) * ((x[c + u] - x[c - u]) - (x[c - s + u] - x[c - s - u]));
    return straight + (along_t + along_u);
  }
};

/// What flows into a cell through its six faces.
template <class Stencil>
KOKKOS_FUNCTION double fluxes_at(const Stencil& stencil, std::int64_t c) {
  const std::int64_t* const stride = stencil.data.stride;
  return (stencil.template flux<0>(c + stride[0]) - stencil.template flux<0>(c)) +
         (stencil.template flux<1>(c + stride[1]) - stencil.template flux<1>(c)) +
         (stencil.template flux<2>(c + stride[2]) - stencil.template flux<2>(c));
}

/// A u at a cell, from these.
template <class Stencil>
KOKKOS_FUNCTION double applied(const Stencil& stencil, std::int64_t c, double fluxes) {
  return stencil.data.with_alpha(c, fluxes * Stencil::scale);
}

}  // namespace ashlar::multigrid
