#include <algorithm>
#include <array>
#include <ashlar/base/error.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/problems/hex_grid.hpp>
#include <ashlar/problems/impl/build_range.hpp>
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

namespace {

std::array<int, 3> checked_nodes(std::array<int, 3> nodes) {
  for (const int n : nodes) {
    if (n < 2) {
      throw ArgumentError(text(nodes[0], " x ", nodes[1], " x ", nodes[2], " nodes"),
                          "an element has 2 nodes along each edge", "pass at least 2 nodes for each side");
    }
  }
  return nodes;
}

}  // namespace

HexGrid::HexGrid(std::array<int, 3> nodes, std::optional<std::array<double, 3>> lengths)
    : lattice_(checked_nodes(nodes)) {
  const double h = 1.0 / (nodes[2] - 1);
  lengths_ = lengths.value_or(std::array<double, 3>{(nodes[0] - 1) * h, (nodes[1] - 1) * h, 1.0});
  for (const double length : lengths_) {
    if (!(length > 0) || !is_finite(length)) {
      throw ArgumentError(text("a box of ", lengths_[0], " x ", lengths_[1], " x ", lengths_[2]),
                          "a length is positive and finite", "pass three positive lengths, or none for cubic elements");
    }
  }
}

std::array<double, 3> HexGrid::spacing() const {
  const std::array<int, 3> n = nodes();
  return {lengths_[0] / (n[0] - 1), lengths_[1] / (n[1] - 1), lengths_[2] / (n[2] - 1)};
}

std::int64_t HexGrid::num_cells() const {
  const std::array<int, 3> n = nodes();
  return std::int64_t(n[0] - 1) * (n[1] - 1) * (n[2] - 1);
}

std::vector<double> hex_points(const HexGrid& grid) {
  const std::array<int, 3> n = grid.nodes();
  // Index times length over intervals, so that the last coordinate is the length itself.
  const auto coordinate = [&](int d, int i) { return i * grid.lengths()[d] / (n[d] - 1); };
  std::vector<double> points;
  points.reserve(3 * static_cast<std::size_t>(grid.num_nodes()));
  for (int x = 0; x < n[0]; ++x) {
    for (int y = 0; y < n[1]; ++y) {
      for (int z = 0; z < n[2]; ++z)
        points.insert(points.end(), {coordinate(0, x), coordinate(1, y), coordinate(2, z)});
    }
  }
  return points;
}

std::vector<std::int64_t> hex_cells(const HexGrid& grid) {
  constexpr LatticePoint vtk_corners[8] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                           {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
  const std::array<int, 3> n = grid.nodes();
  std::vector<std::int64_t> cells;
  cells.reserve(8 * static_cast<std::size_t>(grid.num_cells()));
  for (int x = 0; x + 1 < n[0]; ++x) {
    for (int y = 0; y + 1 < n[1]; ++y) {
      for (int z = 0; z + 1 < n[2]; ++z) {
        for (const LatticePoint& c : vtk_corners) cells.push_back(grid.lattice().number({x + c.x, y + c.y, z + c.z}));
      }
    }
  }
  return cells;
}

RowRange hex_piece_nodes(const HexGrid& grid, const RowRange& owned) {
  const Lattice& lattice = grid.lattice();
  impl::check_range(text("mesh of ", lattice.nx(), " x ", lattice.ny(), " x ", lattice.nz(), " nodes"), owned,
                    grid.num_nodes());
  if (owned.size() == 0) return owned;
  // The element of node i ends with node i + last.
  const std::int64_t last = lattice.number({1, 1, 1});
  return {owned.begin, std::min(owned.end + last, grid.num_nodes())};
}

HexPiece hex_piece(const HexGrid& grid, const RowRange& owned) {
  const Lattice& lattice = grid.lattice();
  HexPiece piece;
  piece.nodes = hex_piece_nodes(grid, owned);
  const std::array<int, 3> n = grid.nodes();
  const auto coordinate = [&](int d, int i) { return i * grid.lengths()[d] / (n[d] - 1); };
  piece.points.reserve(3 * static_cast<std::size_t>(piece.nodes.size()));
  for (std::int64_t node = piece.nodes.begin; node < piece.nodes.end; ++node) {
    const LatticePoint p = lattice.point(node);
    piece.points.insert(piece.points.end(), {coordinate(0, p.x), coordinate(1, p.y), coordinate(2, p.z)});
  }
  constexpr LatticePoint vtk_corners[8] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                           {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
  for (std::int64_t node = owned.begin; node < owned.end; ++node) {
    const LatticePoint p = lattice.point(node);
    if (p.x + 1 == n[0] || p.y + 1 == n[1] || p.z + 1 == n[2]) continue;
    for (const LatticePoint& c : vtk_corners) {
      piece.cells.push_back(lattice.number({p.x + c.x, p.y + c.y, p.z + c.z}) - piece.nodes.begin);
    }
  }
  return piece;
}

}  // namespace ashlar::problems
