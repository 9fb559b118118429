#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

/// The operators at a cell: A u = a alpha u - b div(beta grad u), where u are averages over cells, and beta over faces.
/// Functions of the device, whose ghost cells have been filled.
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

  KOKKOS_FUNCTION double operator()(std::int64_t c) const {
    const double* const x = data.x;
    double fluxes = 0;
    for (int d = 0; d < 3; ++d) {
      const std::int64_t s = data.stride[d];
      fluxes += data.beta[d][c + s] * (x[c + s] - x[c]) + data.beta[d][c] * (x[c - s] - x[c]);
    }
    return data.with_alpha(c, fluxes);
  }
};

/// Of order 4: the difference across a face reads two cells on either side, and as the average of a product is not the
/// product of averages, the change of beta along the face times that of the difference is added.
///
/// Source   McCorquodale & Colella 2011, "A high-order finite-volume method for conservation laws on locally refined
///          grids".
struct Fv4Stencil {
  StencilData data;

  KOKKOS_FUNCTION double operator()(std::int64_t c) const {
    const double* const x = data.x;
    double straight = 0, mixed = 0;
    for (int d = 0; d < 3; ++d) {
      const double* const beta = data.beta[d];
      const std::int64_t s = data.stride[d];
      straight += beta[c] * (15 * (x[c - s] - x[c]) - (x[c - 2 * s] - x[c + s])) +
                  beta[c + s] * (15 * (x[c + s] - x[c]) - (x[c + 2 * s] - x[c - s]));
      for (int other = 1; other <= 2; ++other) {
        const std::int64_t t = data.stride[(d + other) % 3];
        mixed += (beta[c + t] - beta[c - t]) * (x[c - s + t] - x[c + t] - x[c - s - t] + x[c - t]) +
                 (beta[c + s + t] - beta[c + s - t]) * (x[c + s + t] - x[c + t] - x[c + s - t] + x[c - t]);
      }
    }
    return data.with_alpha(c, straight * (1. / 12) + mixed * (1. / 48));
  }
};

}  // namespace ashlar::multigrid
