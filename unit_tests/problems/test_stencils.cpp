#include <gtest/gtest.h>

#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/problems/grid27.hpp>
#include <ashlar/problems/stencil11.hpp>

#include "dense.hpp"
#include "support/some_types.hpp"

namespace {

using namespace ashlar;
using namespace ashlar::problems;
using namespace ashlar::testing;

using Device = Kokkos::DefaultExecutionSpace;

constexpr std::array<int, 3> boxes[] = {{1, 1, 1}, {3, 3, 3}, {1, 4, 2}, {5, 1, 3}, {2, 3, 4}, {4, 5, 1}};

template <class Matrix>
class Stencils : public ::testing::Test {};
using Matrices = ashlar::testing::SomeTypes<BcsrMatrix<double>, BcsrMatrix<double, BlockRowMajor>, BcsrMatrix<float>,
                                            BcsrMatrix<float, BlockRowMajor, std::int32_t, std::int64_t>>;
TYPED_TEST_SUITE(Stencils, Matrices);

TEST(Stencil11, CountsTheNonZerosOfTheMultiGpuPapersTable1) {
  // 183 M and 23 M there, rounded; 17 M and 2 M rows.
  EXPECT_EQ(stencil11_num_blocks(256, 256, 256) / 1000000, 183);
  EXPECT_EQ((stencil11_num_blocks(128, 128, 128) + 500000) / 1000000, 23);
  // 27 points, 54 edges and 24 diagonals, each of these two entries.
  EXPECT_EQ(stencil11_num_blocks(3, 3, 3), 27 + 2 * 54 + 2 * 24);
  EXPECT_EQ(stencil11_num_blocks(1, 1, 5), 5 + 2 * 4);
  EXPECT_THROW(stencil11_num_blocks(0, 3, 3), ArgumentError);
  EXPECT_THROW(stencil11_num_blocks(2000000, 1000000, 1000000), ArgumentError);
}

// Every pair of points is asked whether the stencil joins them: no loop over neighbours that could be wrong alike.
TYPED_TEST(Stencils, Stencil11IsWhatItsDefinitionSays) {
  for (const auto& n : boxes) {
    const Lattice lattice(n);
    for (const int b : {1, 3}) {
      const auto matrix = stencil11<TypeParam>(Device(), n[0], n[1], n[2], b);
      EXPECT_EQ(matrix.num_blocks(), stencil11_num_blocks(n[0], n[1], n[2]));
      EXPECT_EQ(matrix.block_size(), b);
      const Dense dense = to_dense(matrix);
      ASSERT_EQ(dense.n, n[0] * n[1] * n[2] * b);
      for (int row = 0; row < dense.n; ++row) {
        for (int col = 0; col < dense.n; ++col) {
          const LatticePoint p = lattice.point(row / b), q = lattice.point(col / b);
          const int dx = std::abs(p.x - q.x), dy = std::abs(p.y - q.y), dz = std::abs(p.z - q.z);
          const bool joined = dx + dy + dz == 1 || (dx == 0 && dy == 1 && dz == 1);
          const double stencil = row / b == col / b ? 10 : joined ? -1 : 0;
          const double block = b == 1 ? 1 : (row % b == col % b ? 1.0 / 2 : 0) + 1.0 / 6;
          ASSERT_NEAR(dense(row, col), stencil * block, 1e-6) << row << " " << col;
          ASSERT_EQ(dense(row, col), dense(col, row));
        }
      }
    }
  }
}

TYPED_TEST(Stencils, Grid27CouplesAllPointsAroundByDenseBlocks) {
  for (const auto& n : boxes) {
    const Lattice lattice(n);
    for (const int b : {1, 2, 5}) {
      const auto matrix = to_host_matrix(grid27<TypeParam>(Device(), n[0], n[1], n[2], b));
      EXPECT_EQ(matrix.num_blocks(), (3 * n[0] - 2) * (3 * n[1] - 2) * (3 * n[2] - 2));
      EXPECT_EQ(matrix.block_size(), b);
      for_blocks(matrix, [&](std::int64_t, std::int64_t, std::int64_t k) {
        for (int r = 0; r < b; ++r) {
          for (int c = 0; c < b; ++c) EXPECT_NE(entry(matrix, k, r, c), 0);
        }
      });
      const Dense dense = to_dense(matrix);
      for (int row = 0; row < dense.n; ++row) {
        double others = 0;
        for (int col = 0; col < dense.n; ++col) {
          const LatticePoint p = lattice.point(row / b), q = lattice.point(col / b);
          const bool near = std::abs(p.x - q.x) <= 1 && std::abs(p.y - q.y) <= 1 && std::abs(p.z - q.z) <= 1;
          ASSERT_EQ(dense(row, col) != 0, near);
          ASSERT_EQ(dense(row, col), dense(col, row));
          if (row != col) others += std::abs(dense(row, col));
        }
        ASSERT_GT(dense(row, row), others);
      }
    }
  }
}

TYPED_TEST(Stencils, ArePositiveDefinite) {
  for (const auto& n : boxes) {
    for (const int b : {1, 3}) {
      Dense stencil = to_dense(stencil11<TypeParam>(Device(), n[0], n[1], n[2], b));
      EXPECT_TRUE(cholesky(stencil));
      Dense grid = to_dense(grid27<TypeParam>(Device(), n[0], n[1], n[2], b));
      EXPECT_TRUE(cholesky(grid));
    }
  }
}

// Scalar type and layout change neither value; another position does.
TEST(Grid27, ValuesDependOnTheirPositionAlone) {
  const Dense a = to_dense(grid27<BcsrMatrix<double>>(Device(), 3, 2, 4, 3));
  const Dense b = to_dense(grid27<BcsrMatrix<float, BlockRowMajor>>(Device(), 3, 2, 4, 3));
  EXPECT_EQ(a.values, b.values);
  std::vector<double> upper;
  double sum = 0;
  for (int r = 0; r < a.n; ++r) {
    for (int c = r + 1; c < a.n; ++c) {
      if (a(r, c) == 0) continue;
      EXPECT_LT(std::abs(a(r, c)), 1);
      upper.push_back(a(r, c));
      sum += a(r, c);
    }
  }
  const auto count = static_cast<double>(upper.size());
  // All different but for chance: a thousand draws from 2^23 numbers meet 0.06 times.
  std::sort(upper.begin(), upper.end());
  ASSERT_GT(upper.size(), 1000u);
  EXPECT_LE(upper.end() - std::unique(upper.begin(), upper.end()), 1);
  // Mean 0, standard deviation 1/sqrt(3): five deviations of the mean.
  EXPECT_LT(std::abs(sum) / count, 5 / std::sqrt(3.0 * count));
}

TEST(Stencils, RefuseWhatTheyCannotBuildBeforeTheyAllocate) {
  using Matrix = BcsrMatrix<double>;
  EXPECT_THROW(stencil11<Matrix>(Device(), 3, 0, 3), ArgumentError);
  EXPECT_THROW(stencil11<Matrix>(Device(), 3, 3, 3, 0), BlockSizeError);
  EXPECT_THROW(stencil11<Matrix>(Device(), 1000, 1000, 1000), ShapeError);
  EXPECT_THROW(grid27<Matrix>(Device(), -1, 3, 3, 4), ArgumentError);
  EXPECT_THROW(grid27<Matrix>(Device(), 3, 3, 3, -4), BlockSizeError);
  EXPECT_THROW(grid27<Matrix>(Device(), 500, 500, 500, 4), ShapeError);
  using Wide = BcsrMatrix<double, BlockColumnMajor, std::int64_t, std::int64_t>;
  EXPECT_THROW(grid27<Wide>(Device(), 500000, 500000, 500000, 2), ArgumentError);
}

}  // namespace
