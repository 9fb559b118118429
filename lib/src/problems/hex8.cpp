#include <ashlar/problems/hex8.hpp>
#include <cmath>

namespace ashlar::problems {

namespace {

struct GaussPoint {
  Hex8Shape shape;  // gradients in the coordinates of the box
  double weight;
};

std::array<GaussPoint, 8> gauss_points(const std::array<double, 3>& edges) {
  const double g = 1 / std::sqrt(3.0);
  std::array<GaussPoint, 8> points;
  for (int q = 0; q < 8; ++q) {
    GaussPoint& point = points[q];
    point.shape = hex8_shape(q & 4 ? g : -g, q & 2 ? g : -g, q & 1 ? g : -g);
    for (auto& gradient : point.shape.gradient) {
      for (int d = 0; d < 3; ++d) gradient[d] *= 2 / edges[d];
    }
    point.weight = edges[0] * edges[1] * edges[2] / 8;
  }
  return points;
}

double dot(const std::array<double, 3>& a, const std::array<double, 3>& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// The upper triangle copied below: symmetric to the last bit, whatever products the compiler fused.
template <std::size_t Size>
void mirror(std::array<double, Size>& matrix, int n) {
  for (int row = 0; row < n; ++row) {
    for (int col = 0; col < row; ++col) matrix[n * row + col] = matrix[n * col + row];
  }
}

}  // namespace

Hex8Shape hex8_shape(double xi, double eta, double zeta) {
  Hex8Shape shape;
  for (int a = 0; a < 8; ++a) {
    const double sx = a & 4 ? 1 : -1, sy = a & 2 ? 1 : -1, sz = a & 1 ? 1 : -1;
    const double fx = (1 + sx * xi) / 2, fy = (1 + sy * eta) / 2, fz = (1 + sz * zeta) / 2;
    shape.value[a] = fx * fy * fz;
    shape.gradient[a] = {sx / 2 * fy * fz, fx * sy / 2 * fz, fx * fy * sz / 2};
  }
  return shape;
}

std::array<double, 64> hex8_laplacian(const std::array<double, 3>& edges) {
  std::array<double, 64> matrix{};
  for (const GaussPoint& point : gauss_points(edges)) {
    const auto& gradient = point.shape.gradient;
    for (int a = 0; a < 8; ++a) {
      for (int b = a; b < 8; ++b) matrix[8 * a + b] += point.weight * dot(gradient[a], gradient[b]);
    }
  }
  mirror(matrix, 8);
  return matrix;
}

std::array<double, 64> hex8_mass(const std::array<double, 3>& edges) {
  std::array<double, 64> matrix{};
  for (const GaussPoint& point : gauss_points(edges)) {
    const auto& value = point.shape.value;
    for (int a = 0; a < 8; ++a) {
      for (int b = a; b < 8; ++b) matrix[8 * a + b] += point.weight * (value[a] * value[b]);
    }
  }
  mirror(matrix, 8);
  return matrix;
}

std::array<double, 576> hex8_stiffness(const std::array<double, 3>& edges, double youngs_modulus,
                                       double poissons_ratio) {
  const double lambda = youngs_modulus * poissons_ratio / ((1 + poissons_ratio) * (1 - 2 * poissons_ratio));
  const double mu = youngs_modulus / (2 * (1 + poissons_ratio));
  std::array<double, 576> matrix{};
  for (const GaussPoint& point : gauss_points(edges)) {
    const auto& gradient = point.shape.gradient;
    for (int row = 0; row < 24; ++row) {
      for (int col = row; col < 24; ++col) {
        const int i = row % 3, j = col % 3;
        const auto& ga = gradient[row / 3];
        const auto& gb = gradient[col / 3];
        const double shear = ga[j] * gb[i] + (i == j ? dot(ga, gb) : 0);
        matrix[24 * row + col] += point.weight * (lambda * (ga[i] * gb[j]) + mu * shear);
      }
    }
  }
  mirror(matrix, 24);
  return matrix;
}

}  // namespace ashlar::problems
