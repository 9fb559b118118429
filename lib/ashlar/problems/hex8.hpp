#pragma once

#include <array>

/// The trilinear hexahedron of eight nodes, as a box hx x hy x hz with its edges along the axes.
///
/// Node a sits at the corner (a/4, a/2 mod 2, a mod 2), z fastest, as the points of a `Lattice` are numbered. Integrals
/// are sums over the 2x2x2 Gauss points, which is exact here: no factor of an integrand has a degree above 2 in one
/// variable, and Gauss points take 3.

namespace ashlar::problems {

/// The eight shape functions at one point of the reference cube [-1,1]^3.
struct Hex8Shape {
  std::array<double, 8> value;
  /// gradient[a][d]: derivative of function a along reference axis d.
  std::array<std::array<double, 3>, 8> gradient;
};

Hex8Shape hex8_shape(double xi, double eta, double zeta);

/// Entry [8a + b]: the integral of grad N_a . grad N_b over the box of these edges.
std::array<double, 64> hex8_laplacian(const std::array<double, 3>& edges);

/// Entry [8a + b]: the integral of N_a N_b.
std::array<double, 64> hex8_mass(const std::array<double, 3>& edges);

/// Isotropic linear elasticity: entry [24(3a + i) + 3b + j] couples direction i at node a to direction j at node b.
///
/// The integral of lambda d_i N_a d_j N_b + mu (d_j N_a d_i N_b + delta_ij grad N_a . grad N_b), with the Lame
/// constants lambda = E nu / ((1 + nu)(1 - 2 nu)) and mu = E / (2 (1 + nu)). The caller answers for E > 0 and -1 < nu <
/// 1/2.
std::array<double, 576> hex8_stiffness(const std::array<double, 3>& edges, double youngs_modulus,
                                       double poissons_ratio);

}  // namespace ashlar::problems
