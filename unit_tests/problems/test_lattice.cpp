#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/problems/hex_grid.hpp>
#include <cmath>
#include <cstdlib>
#include <vector>

namespace {

using namespace ashlar;
using namespace ashlar::problems;

TEST(Lattice, NumbersPointsWithZFastestAndBack) {
  const Lattice lattice({3, 4, 5});
  std::int64_t number = 0;
  for (int x = 0; x < 3; ++x) {
    for (int y = 0; y < 4; ++y) {
      for (int z = 0; z < 5; ++z, ++number) {
        EXPECT_EQ(lattice.number({x, y, z}), number);
        const LatticePoint p = lattice.point(number);
        EXPECT_EQ(p.x, x);
        EXPECT_EQ(p.y, y);
        EXPECT_EQ(p.z, z);
      }
    }
  }
  EXPECT_EQ(lattice.num_points(), number);
}

TEST(Lattice, SumOfNeighboursIsTheSum) {
  for (const auto& points : {std::array{1, 1, 1}, std::array{2, 2, 2}, std::array{1, 4, 3}, std::array{7, 2, 5}}) {
    const Lattice lattice(points);
    std::int64_t sum = 0;
    for (std::int64_t i = 0; i < lattice.num_points(); ++i) sum += lattice.num_neighbours(lattice.point(i));
    EXPECT_EQ(lattice.sum_of_neighbours(), sum);
  }
}

TEST(Lattice, VisitsTheNeighboursOfAPointByTheirNumbers) {
  for (const auto& points : {std::array{1, 1, 1}, std::array{1, 4, 3}, std::array{4, 2, 5}}) {
    const Lattice lattice(points);
    for (std::int64_t i = 0; i < lattice.num_points(); ++i) {
      const LatticePoint p = lattice.point(i);
      std::vector<std::int64_t> expected, visited;
      for (std::int64_t j = 0; j < lattice.num_points(); ++j) {
        const LatticePoint q = lattice.point(j);
        if (std::abs(q.x - p.x) <= 1 && std::abs(q.y - p.y) <= 1 && std::abs(q.z - p.z) <= 1) expected.push_back(j);
      }
      lattice.for_each_neighbour(p, [&](int k, int dx, int dy, int dz) {
        EXPECT_EQ(k, static_cast<int>(visited.size()));
        visited.push_back(lattice.number({p.x + dx, p.y + dy, p.z + dz}));
      });
      EXPECT_EQ(visited, expected);
    }
  }
}

TEST(Lattice, RefusesSidesWithoutPointsAndCountsPast64Bits) {
  EXPECT_THROW(Lattice({3, 0, 3}), ArgumentError);
  EXPECT_THROW(Lattice({3, 3, -1}), ArgumentError);
  EXPECT_THROW(Lattice({2147483647, 2147483647, 3}), ArgumentError);
  const Lattice large({2000000, 1000000, 1000000});  // 2e18 points are counted, their 5.4e19 neighbours are not
  EXPECT_EQ(large.num_points(), 2000000000000000000);
  EXPECT_THROW(large.sum_of_neighbours(), ArgumentError);
}

TEST(HexGrid, CountsTheBlocksOfTheStreamingPapersTable1) {
  const auto cube = [](int n) { return HexGrid({n, n, n}).num_blocks(); };
  EXPECT_EQ(cube(96), 23393656);
  EXPECT_EQ(cube(128), 55742968);
  EXPECT_EQ(cube(160), 109215352);
  EXPECT_EQ(cube(256), 449455096);
  EXPECT_EQ(cube(1000), 26946035992);  // 2998^3, past 32 bits
}

TEST(HexGrid, DefaultElementsAreCubesInABoxOneHigh) {
  const HexGrid grid({81, 9, 9});
  EXPECT_THAT(grid.lengths(), testing::ElementsAre(10, 1, 1));
  EXPECT_THAT(grid.spacing(), testing::ElementsAre(0.125, 0.125, 0.125));
  const HexGrid flat({5, 4, 3}, std::array{8.0, 6.0, 1.0});
  EXPECT_THAT(flat.spacing(), testing::ElementsAre(2, 2, 0.5));
}

TEST(HexGrid, RefusesBadSidesWithTheirValues) {
  const auto message = [](std::array<int, 3> nodes, std::optional<std::array<double, 3>> lengths) {
    try {
      HexGrid grid(nodes, lengths);
    } catch (const ArgumentError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_THAT(message({4, 1, 7}, {}), testing::HasSubstr("4 x 1 x 7 nodes"));
  EXPECT_THAT(message({4, 4, 0}, {}), testing::HasSubstr("at least 2 nodes"));
  EXPECT_THAT(message({4, 4, 4}, std::array{1.0, -2.5, 1.0}), testing::HasSubstr("1 x -2.5 x 1"));
  EXPECT_THAT(message({4, 4, 4}, std::array{1.0, 0.0, 1.0}), testing::HasSubstr("positive"));
  EXPECT_NE(message({4, 4, 4}, std::array{1.0, 1.0, std::nan("")}), "no error");
  EXPECT_NE(message({4, 4, 4}, std::array{1.0, 1.0, HUGE_VAL}), "no error");
}

TEST(HexGrid, PointsLieWhereTheLatticeNumbersThem) {
  const HexGrid grid({3, 4, 2}, std::array{2.0, 1.5, 7.0});
  const std::vector<double> points = hex_points(grid);
  ASSERT_EQ(points.size(), 3u * 24);
  const std::int64_t node = grid.lattice().number({1, 2, 1});
  EXPECT_DOUBLE_EQ(points[3 * node], 1.0);
  EXPECT_DOUBLE_EQ(points[3 * node + 1], 1.0);
  EXPECT_DOUBLE_EQ(points[3 * node + 2], 7.0);
  EXPECT_EQ(points[points.size() - 2], 1.5);
}

// The signed volume of the tetrahedra around a hexahedron's first corner is positive for VTK's order of the corners
// only: a swapped pair of nodes turns one of them over.
TEST(HexGrid, CellsAreVtkHexahedraThatFillTheBox) {
  const HexGrid grid({3, 4, 5}, std::array{2.0, 6.0, 1.0});
  const std::vector<double> points = hex_points(grid);
  const std::vector<std::int64_t> cells = hex_cells(grid);
  ASSERT_EQ(cells.size(), 8u * 24);
  ASSERT_EQ(grid.num_cells(), 24);
  const auto corner = [&](std::size_t cell, int v, int d) { return points[3 * cells[8 * cell + v] + d]; };
  const auto edges_product = [&](std::size_t cell, int from, int to0, int to1, int to2) {
    double e[3][3];
    const int to[3] = {to0, to1, to2};
    for (int k = 0; k < 3; ++k) {
      for (int d = 0; d < 3; ++d) e[k][d] = corner(cell, to[k], d) - corner(cell, from, d);
    }
    return e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) - e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
           e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
  };
  double volume = 0;
  for (std::size_t cell = 0; cell < 24; ++cell) {
    // At every corner of a box the three edges, in right-handed order, span the box.
    const int edges[8][4] = {{0, 1, 3, 4}, {1, 2, 0, 5}, {2, 3, 1, 6}, {3, 0, 2, 7},
                             {4, 7, 5, 0}, {5, 4, 6, 1}, {6, 5, 7, 2}, {7, 6, 4, 3}};
    for (const auto& e : edges) EXPECT_NEAR(edges_product(cell, e[0], e[1], e[2], e[3]), 0.5, 1e-12);
    volume += edges_product(cell, 0, 1, 3, 4);
  }
  EXPECT_NEAR(volume, 12, 1e-12);
  std::vector<std::int64_t> used = cells;
  std::sort(used.begin(), used.end());
  EXPECT_EQ(std::unique(used.begin(), used.end()) - used.begin(), 60);
}

}  // namespace
