#include <ashlar/base/error.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/problems/hex_grid.hpp>

namespace ashlar::problems {

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

}  // namespace ashlar::problems
