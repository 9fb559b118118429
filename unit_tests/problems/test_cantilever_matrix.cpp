#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/problems/cantilever.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "dense.hpp"
#include "support/some_types.hpp"

namespace {

using namespace ashlar;
using namespace ashlar::problems;
using namespace ashlar::testing;

using Space = Kokkos::DefaultExecutionSpace::memory_space;
using Device = Kokkos::DefaultExecutionSpace;

constexpr std::array<int, 3> meshes[] = {{2, 2, 2}, {3, 3, 3}, {2, 5, 3}, {5, 2, 4}, {4, 3, 2}};

Cantilever beam(std::array<int, 3> nodes, int dof) {
  return {.nodes = nodes, .lengths = std::array{1.7, 1.1, 0.8}, .dof = dof, .youngs_modulus = 2.5};
}

/// The textbook's assembly: each element adds its matrix to the whole.
Dense assembled_by_elements(const Cantilever& problem) {
  const HexGrid grid = cantilever_grid(problem);
  const std::vector<double> element = cantilever_element_matrix(problem);
  const std::vector<std::int64_t> cells = hex_cells(grid);
  const int vtk_to_local[8] = {0, 4, 6, 2, 1, 5, 7, 3}, dof = problem.dof;
  Dense dense(static_cast<int>(grid.num_nodes()) * dof);
  for (std::size_t cell = 0; cell < cells.size(); cell += 8) {
    for (int v = 0; v < 8; ++v) {
      for (int w = 0; w < 8; ++w) {
        const int block = 8 * vtk_to_local[v] + vtk_to_local[w];
        for (int r = 0; r < dof; ++r) {
          for (int c = 0; c < dof; ++c) {
            dense(static_cast<int>(cells[cell + v]) * dof + r, static_cast<int>(cells[cell + w]) * dof + c) +=
                element[(block * dof + r) * dof + c];
          }
        }
      }
    }
  }
  return dense;
}

/// The largest sum of absolute values in a row: what the rounding of a product is measured by.
double row_norm(const Dense& a) {
  double largest = 0;
  for (int r = 0; r < a.n; ++r) {
    double sum = 0;
    for (int c = 0; c < a.n; ++c) sum += std::abs(a(r, c));
    largest = std::max(largest, sum);
  }
  return largest;
}

/// The six rigid-body modes at the nodes of a grid: three translations, three rotations.
std::vector<std::vector<double>> rigid_body_modes(const HexGrid& grid) {
  const std::vector<double> x = hex_points(grid);
  std::vector<std::vector<double>> modes(6, std::vector<double>(x.size()));
  for (std::size_t node = 0; node < x.size(); node += 3) {
    for (int d = 0; d < 3; ++d) {
      const int e = (d + 1) % 3, f = (d + 2) % 3;
      modes[d][node + d] = 1;
      modes[3 + d][node + e] = -x[node + f];
      modes[3 + d][node + f] = x[node + e];
    }
  }
  return modes;
}

/// A field of dof 3 on both solids of dof 6, the second times `factor`.
std::vector<double> on_both_solids(const std::vector<double>& u, double factor) {
  std::vector<double> both(2 * u.size());
  for (std::size_t i = 0; i < u.size(); ++i) {
    const std::size_t node = i / 3, d = i % 3;
    both[6 * node + d] = u[i];
    both[6 * node + 3 + d] = factor * u[i];
  }
  return both;
}

double largest_entry(const std::vector<double>& v) {
  double largest = 0;
  for (const double a : v) largest = std::max(largest, std::abs(a));
  return largest;
}

template <class Matrix>
class CantileverMatrix : public ::testing::Test {};
using Matrices = ashlar::testing::SomeTypes<BcsrMatrix<double>, BcsrMatrix<double, BlockRowMajor>, BcsrMatrix<float>,
                                            BcsrMatrix<float, BlockRowMajor>,
                                            BcsrMatrix<double, BlockColumnMajor, std::int32_t, std::int64_t>,
                                            BcsrMatrix<double, BlockRowMajor, std::int64_t, std::int64_t>>;
TYPED_TEST_SUITE(CantileverMatrix, Matrices);

TYPED_TEST(CantileverMatrix, EqualsTheAssemblyByElements) {
  const double eps = std::numeric_limits<typename TypeParam::scalar_type>::epsilon();
  for (const auto& nodes : meshes) {
    for (const int dof : {1, 3, 6}) {
      const Cantilever problem = beam(nodes, dof);
      const Dense oracle = assembled_by_elements(problem);
      const Dense ours = to_dense(cantilever_matrix_unconstrained<TypeParam>(Device(), problem));
      ASSERT_EQ(ours.n, oracle.n);
      double worst = 0;
      for (std::size_t i = 0; i < oracle.values.size(); ++i) {
        worst = std::max(worst, std::abs(ours.values[i] - oracle.values[i]));
      }
      EXPECT_LE(worst, 8 * eps * largest_entry(oracle.values)) << dof;
    }
  }
}

TYPED_TEST(CantileverMatrix, KeepsTheFullPatternAscendingAndIsSymmetricToTheLastBit) {
  for (const auto& nodes : meshes) {
    for (const int dof : {1, 3, 6}) {
      const Cantilever problem = beam(nodes, dof);
      const auto matrix = to_host_matrix(cantilever_matrix<TypeParam>(Device(), problem));
      const std::int64_t expected =
          std::int64_t(3 * nodes[0] - 2) * std::int64_t(3 * nodes[1] - 2) * std::int64_t(3 * nodes[2] - 2);
      EXPECT_EQ(matrix.num_blocks(), expected);
      EXPECT_EQ(matrix.block_size(), dof);
      EXPECT_EQ(matrix.num_block_rows(), nodes[0] * nodes[1] * nodes[2]);
      EXPECT_EQ(matrix.num_block_cols(), matrix.num_block_rows());
      const Lattice lattice(nodes);
      std::int64_t last_row = -1, last_column = -1;
      for_blocks(matrix, [&](std::int64_t i, std::int64_t j, std::int64_t) {
        const LatticePoint p = lattice.point(i), q = lattice.point(j);
        EXPECT_LE(std::max({std::abs(p.x - q.x), std::abs(p.y - q.y), std::abs(p.z - q.z)}), 1);
        EXPECT_TRUE(i != last_row || j > last_column);
        last_row = i;
        last_column = j;
      });
      const Dense dense = to_dense(matrix);
      for (int r = 0; r < dense.n; ++r) {
        for (int c = 0; c < r; ++c) ASSERT_EQ(dense(r, c), dense(c, r));
      }
    }
  }
}

// Nodes at x = 0 have rows and columns of zeros and keep their diagonal; every other entry is untouched.
TYPED_TEST(CantileverMatrix, ClampsOneFaceAndLeavesTheRestAlone) {
  for (const int dof : {1, 3, 6}) {
    const Cantilever problem = beam({4, 3, 2}, dof);
    const Dense free = to_dense(cantilever_matrix_unconstrained<TypeParam>(Device(), problem));
    const Dense held = to_dense(cantilever_matrix<TypeParam>(Device(), problem));
    const int clamped = 3 * 2 * dof;
    for (int r = 0; r < free.n; ++r) {
      EXPECT_GT(held(r, r), 0);
      for (int c = 0; c < free.n; ++c) {
        const bool zero = r != c && (r < clamped || c < clamped);
        ASSERT_EQ(held(r, c), zero ? 0 : free(r, c)) << r << " " << c;
      }
    }
  }
}

TYPED_TEST(CantileverMatrix, IsPositiveDefinite) {
  for (const auto& nodes : meshes) {
    for (const int dof : {1, 3, 6}) {
      Dense dense = to_dense(cantilever_matrix<TypeParam>(Device(), beam(nodes, dof)));
      EXPECT_TRUE(cholesky(dense)) << dof;
    }
  }
  Cantilever uncoupled = beam({4, 3, 3}, 6);
  uncoupled.coupling = 0;
  Dense dense = to_dense(cantilever_matrix<TypeParam>(Device(), uncoupled));
  EXPECT_TRUE(cholesky(dense));
}

TEST(Cantilever, ConstantsAndRigidBodyModesCostNoForceBeforeItIsClamped) {
  for (const auto& nodes : meshes) {
    const double eps = std::numeric_limits<double>::epsilon();
    const Dense laplacian = to_dense(cantilever_matrix_unconstrained<BcsrMatrix<double>>(Device(), beam(nodes, 1)));
    EXPECT_LE(largest_entry(multiply(laplacian, std::vector<double>(laplacian.n, 1.0))), 8 * eps * row_norm(laplacian));

    const Dense elastic = to_dense(cantilever_matrix_unconstrained<BcsrMatrix<double>>(Device(), beam(nodes, 3)));
    Cantilever twin = beam(nodes, 6);
    twin.coupling = 0;
    const Dense two_solids = to_dense(cantilever_matrix_unconstrained<BcsrMatrix<double>>(Device(), twin));
    for (const std::vector<double>& mode : rigid_body_modes(cantilever_grid(twin))) {
      ASSERT_GE(largest_entry(mode), 0.8);
      EXPECT_LE(largest_entry(multiply(elastic, mode)), 8 * eps * row_norm(elastic) * largest_entry(mode));
      // Without the coupling each solid may move alone.
      for (const double factor : {0.0, 1.0, -3.0}) {
        const std::vector<double> both = on_both_solids(mode, factor);
        EXPECT_LE(largest_entry(multiply(two_solids, both)), 8 * eps * row_norm(two_solids) * largest_entry(both));
      }
    }
  }
}

// With the coupling, moving the free pair of solids by a constant t costs E / lx^2 * volume * t^T M t.
TEST(Cantilever, CouplingHoldsTheTwoSolids) {
  const Cantilever problem = beam({4, 3, 5}, 6);
  const Dense dense = to_dense(cantilever_matrix_unconstrained<BcsrMatrix<double>>(Device(), problem));
  const std::array<double, 6> t{0.3, -1, 0.25, 2, 0.5, -0.75};
  std::vector<double> u(dense.n);
  for (int i = 0; i < dense.n; ++i) u[i] = t[i % 6];
  double sum = 0, squares = 0;
  for (const double entry : t) sum += entry, squares += entry * entry;
  const double volume = 1.7 * 1.1 * 0.8;
  EXPECT_NEAR(dot(u, multiply(dense, u)), 2.5 / (1.7 * 1.7) * volume * (squares / 2 + sum * sum / 12), 1e-12);
}

// Two solids strained alike store (1 + 1/2 + 1/2 + 1) times the energy of one.
TEST(Cantilever, TheSolidsShareTheirStrain) {
  Cantilever problem = beam({3, 4, 3}, 6);
  problem.coupling = 0;
  const Dense six = to_dense(cantilever_matrix_unconstrained<BcsrMatrix<double>>(Device(), problem));
  problem.dof = 3;
  const Dense three = to_dense(cantilever_matrix_unconstrained<BcsrMatrix<double>>(Device(), problem));
  std::vector<double> u(three.n);
  for (int i = 0; i < three.n; ++i) u[i] = std::sin(1.0 + 7 * i);
  const double one = dot(u, multiply(three, u));
  const std::vector<double> alike = on_both_solids(u, 1), opposed = on_both_solids(u, -1), alone = on_both_solids(u, 0);
  EXPECT_NEAR(dot(alike, multiply(six, alike)), 3 * one, 1e-12 * one);
  EXPECT_NEAR(dot(opposed, multiply(six, opposed)), one, 1e-12 * one);
  EXPECT_NEAR(dot(alone, multiply(six, alone)), one, 1e-12 * one);
}

// The case is there for its dense blocks: away from the clamped face each block has all its 36 entries, none of them a
// remnant of rounding, on cubic elements as on others.
TEST(Cantilever, BlocksOfDof6AreDense) {
  for (Cantilever problem :
       {beam({5, 4, 4}, 6), Cantilever{.nodes = {5, 4, 4}, .dof = 6}, Cantilever{.nodes = {33, 9, 9}, .dof = 6}}) {
    const auto matrix = to_host_matrix(cantilever_matrix<BcsrMatrix<double>>(Device(), problem));
    const int face = problem.nodes[1] * problem.nodes[2];
    double largest = 0, smallest = 1e300;
    for_blocks(matrix, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      if (i < face || j < face) return;
      for (int r = 0; r < 6; ++r) {
        for (int c = 0; c < 6; ++c) {
          largest = std::max(largest, std::abs(entry(matrix, k, r, c)));
          smallest = std::min(smallest, std::abs(entry(matrix, k, r, c)));
        }
      }
    });
    EXPECT_GT(smallest, 1e-8 * largest);
  }
}

// The patch test: nodes on the surface of the mesh follow a linear field, those inside find it by themselves.
TEST(Cantilever, ReproducesALinearDisplacementField) {
  for (const int dof : {1, 3}) {
    const Cantilever problem = beam({5, 6, 4}, dof);
    const HexGrid grid = cantilever_grid(problem);
    const Dense matrix = to_dense(cantilever_matrix_unconstrained<BcsrMatrix<double>>(Device(), problem));
    const double gradient[3][3] = {{0.3, -0.2, 0.7}, {0.5, 0.1, -0.4}, {-0.6, 0.9, 0.8}};
    const std::vector<double> points = hex_points(grid);
    std::vector<double> u(matrix.n);
    std::vector<int> inside;
    for (int node = 0; node < grid.num_nodes(); ++node) {
      const LatticePoint p = grid.lattice().point(node);
      for (int d = 0; d < dof; ++d) {
        u[node * dof + d] = 0.1 * d - 1;
        for (int e = 0; e < 3; ++e) u[node * dof + d] += gradient[d][e] * points[3 * node + e];
        if (grid.lattice().num_neighbours(p) == 27) inside.push_back(node * dof + d);
      }
    }
    ASSERT_EQ(inside.size(), 24u * dof);
    Dense interior(static_cast<int>(inside.size()));
    std::vector<double> known = u, expected;
    for (const int i : inside) known[i] = 0;
    const std::vector<double> force = multiply(matrix, known);
    std::vector<double> rhs;
    for (std::size_t i = 0; i < inside.size(); ++i) {
      rhs.push_back(-force[inside[i]]);
      expected.push_back(u[inside[i]]);
      for (std::size_t j = 0; j < inside.size(); ++j) {
        interior(static_cast<int>(i), static_cast<int>(j)) = matrix(inside[i], inside[j]);
      }
    }
    ASSERT_TRUE(cholesky(interior));
    const std::vector<double> found = cholesky_solve(interior, rhs);
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-10);
  }
}

TEST(Cantilever, TheSameBitsEachTime) {
  const Cantilever problem{.nodes = {9, 8, 7}, .dof = 3};
  const auto first = to_host_matrix(cantilever_matrix<BcsrMatrix<double>>(Device(), problem));
  const auto second = to_host_matrix(cantilever_matrix<BcsrMatrix<double>>(Device(), problem));
  for (std::int64_t i = 0; i < first.num_values(); ++i) ASSERT_EQ(first.values()(i), second.values()(i));
}

TEST(Cantilever, BuildsTheBlocksOfTable1For96) {
  const auto matrix = cantilever_matrix<BcsrMatrix<double>>(Device(), {.nodes = {96, 96, 96}, .dof = 1});
  Device().fence("test: built");
  EXPECT_EQ(matrix.num_blocks(), 23393656);
  EXPECT_EQ(matrix.num_block_rows(), 96 * 96 * 96);
}

TEST(Cantilever, MoreBlocksThanTheOffsetsCountIsAnErrorBeforeAnythingIsAllocated) {
  // 26,946,035,992 blocks of 36 doubles: 8 TB, had anything been allocated first.
  const Cantilever large{.nodes = {1000, 1000, 1000}, .dof = 6};
  try {
    cantilever_matrix<BcsrMatrix<double>>(Device(), large);
    FAIL() << "no error";
  } catch (const ShapeError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("26946035992 blocks"));
    EXPECT_THAT(error.what(), ::testing::HasSubstr("std::int64_t offsets"));
  }
  const Cantilever larger{.nodes = {2000, 2000, 2000}, .dof = 1};
  using Wide = BcsrMatrix<double, BlockColumnMajor, std::int32_t, std::int64_t>;
  EXPECT_THROW(cantilever_matrix<Wide>(Device(), larger), ShapeError);
}

std::string message_of(const Cantilever& problem) {
  try {
    check(problem);
  } catch (const ArgumentError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Cantilever, RefusesBadOptionsWithTheirValues) {
  using ::testing::HasSubstr;
  EXPECT_EQ(message_of({}), "no error");
  EXPECT_THAT(message_of({.nodes = {3, 1, 3}}), HasSubstr("3 x 1 x 3 nodes"));
  EXPECT_THAT(message_of({.lengths = std::array{1.0, 1.0, -4.0}}), HasSubstr("-4"));
  EXPECT_THAT(message_of({.dof = 2}), HasSubstr("dof 2"));
  EXPECT_THAT(message_of({.youngs_modulus = 0}), HasSubstr("Young's modulus 0"));
  EXPECT_THAT(message_of({.youngs_modulus = -7}), HasSubstr("-7"));
  EXPECT_NE(message_of({.youngs_modulus = std::nan("")}), "no error");
  EXPECT_THAT(message_of({.poissons_ratio = 0.5}), HasSubstr("Poisson's ratio 0.5"));
  EXPECT_THAT(message_of({.poissons_ratio = -1}), HasSubstr("-1"));
  EXPECT_NE(message_of({.poissons_ratio = std::nan("")}), "no error");
  EXPECT_THAT(message_of({.weight = HUGE_VAL}), HasSubstr("weight inf"));
  EXPECT_THAT(message_of({.traction = {0, HUGE_VAL, 0}}), HasSubstr("traction 0 inf 0"));
  EXPECT_THAT(message_of({.coupling = -1}), HasSubstr("coupling -1"));
  EXPECT_THROW(cantilever_matrix<BcsrMatrix<double>>(Device(), {.dof = 2}), ArgumentError);
  EXPECT_THROW(cantilever_load<double>(Device(), {.dof = 4}), ArgumentError);
}

}  // namespace
