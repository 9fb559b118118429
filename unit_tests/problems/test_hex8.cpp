#include <gtest/gtest.h>

#include <ashlar/problems/hex_grid.hpp>
#include <cmath>
#include <numeric>

namespace {

using namespace ashlar::problems;

constexpr std::array<double, 3> edges{0.5, 1.25, 2.0};
constexpr double volume = 0.5 * 1.25 * 2.0;

// Integrals over one edge of length h of products of the two linear functions and their derivatives: what the integrals
// over a box are products of, since each shape function is a product of three functions of one variable each.
double mass1(double h, int a, int b) { return a == b ? h / 3 : h / 6; }
double derivative_value1(int a, int) { return a == 1 ? 0.5 : -0.5; }
double stiffness1(double h, int a, int b) { return a == b ? 1 / h : -1 / h; }

int bit(int a, int d) { return (a >> (2 - d)) & 1; }

/// The integral of d_i N_a d_j N_b.
double exact(int a, int i, int b, int j) {
  double product = 1;
  for (int d = 0; d < 3; ++d) {
    const int p = bit(a, d), q = bit(b, d);
    product *= d == i && d == j ? stiffness1(edges[d], p, q)
               : d == i         ? derivative_value1(p, q)
               : d == j         ? derivative_value1(q, p)
                                : mass1(edges[d], p, q);
  }
  return product;
}

TEST(Hex8, ShapeFunctionsAreAPartitionOfUnityAndOneAtTheirNode) {
  for (const auto& [x, y, z] : {std::array{0.1, -0.3, 0.77}, std::array{1.0, 1.0, -1.0}, std::array{-0.9, 0.2, 0.0}}) {
    const Hex8Shape shape = hex8_shape(x, y, z);
    EXPECT_NEAR(std::accumulate(shape.value.begin(), shape.value.end(), 0.0), 1, 1e-15);
    for (int d = 0; d < 3; ++d) {
      double sum = 0;
      for (const auto& gradient : shape.gradient) sum += gradient[d];
      EXPECT_NEAR(sum, 0, 1e-15);
    }
  }
  for (int a = 0; a < 8; ++a) {
    const Hex8Shape shape = hex8_shape(2 * bit(a, 0) - 1, 2 * bit(a, 1) - 1, 2 * bit(a, 2) - 1);
    for (int b = 0; b < 8; ++b) EXPECT_EQ(shape.value[b], a == b ? 1 : 0);
  }
}

TEST(Hex8, GradientsAreTheDifferenceQuotients) {
  const double h = 1e-5;
  const std::array<double, 3> p{0.3, -0.6, 0.45};
  const Hex8Shape shape = hex8_shape(p[0], p[1], p[2]);
  for (int d = 0; d < 3; ++d) {
    auto up = p, down = p;
    up[d] += h;
    down[d] -= h;
    const Hex8Shape above = hex8_shape(up[0], up[1], up[2]), below = hex8_shape(down[0], down[1], down[2]);
    for (int a = 0; a < 8; ++a) {
      EXPECT_NEAR(shape.gradient[a][d], (above.value[a] - below.value[a]) / (2 * h), 1e-9);
    }
  }
}

TEST(Hex8, MassAndLaplacianAreTheExactIntegrals) {
  const auto mass = hex8_mass(edges);
  const auto laplacian = hex8_laplacian(edges);
  for (int a = 0; a < 8; ++a) {
    for (int b = 0; b < 8; ++b) {
      double product = 1;
      for (int d = 0; d < 3; ++d) product *= mass1(edges[d], bit(a, d), bit(b, d));
      EXPECT_NEAR(mass[8 * a + b], product, 1e-15);
      EXPECT_NEAR(laplacian[8 * a + b], exact(a, 0, b, 0) + exact(a, 1, b, 1) + exact(a, 2, b, 2), 1e-14);
      EXPECT_EQ(mass[8 * a + b], mass[8 * b + a]);
      EXPECT_EQ(laplacian[8 * a + b], laplacian[8 * b + a]);
    }
  }
  EXPECT_NEAR(std::accumulate(mass.begin(), mass.end(), 0.0), volume, 1e-14);
}

TEST(Hex8, StiffnessIsTheExactIntegral) {
  const double e = 210, nu = 0.28;
  const double lambda = e * nu / ((1 + nu) * (1 - 2 * nu)), mu = e / (2 * (1 + nu));
  const auto stiffness = hex8_stiffness(edges, e, nu);
  for (int row = 0; row < 24; ++row) {
    for (int col = 0; col < 24; ++col) {
      const int a = row / 3, i = row % 3, b = col / 3, j = col % 3;
      double value = lambda * exact(a, i, b, j) + mu * exact(a, j, b, i);
      if (i == j) value += mu * (exact(a, 0, b, 0) + exact(a, 1, b, 1) + exact(a, 2, b, 2));
      EXPECT_NEAR(stiffness[24 * row + col], value, 1e-12 * e) << row << " " << col;
      EXPECT_EQ(stiffness[24 * row + col], stiffness[24 * col + row]);
    }
  }
}

// Uniaxial stress: strain s along x and -nu s across it stores E s^2 / 2 in a unit of volume, whatever nu is. A test of
// the constants that shares no formula with the code.
TEST(Hex8, UniaxialStressStoresYoungsModulusTimesStrainSquared) {
  const double e = 3.5, nu = 0.4, s = 0.01;
  const auto stiffness = hex8_stiffness(edges, e, nu);
  std::array<double, 24> u;
  for (int a = 0; a < 8; ++a) {
    for (int d = 0; d < 3; ++d) u[3 * a + d] = (d == 0 ? s : -nu * s) * bit(a, d) * edges[d];
  }
  double twice_energy = 0;
  for (int row = 0; row < 24; ++row) {
    for (int col = 0; col < 24; ++col) twice_energy += u[row] * stiffness[24 * row + col] * u[col];
  }
  EXPECT_NEAR(twice_energy, e * s * s * volume, 1e-14);
}

}  // namespace
