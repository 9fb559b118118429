#include <gtest/gtest.h>

#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/problems/convection_diffusion_reaction.hpp>
#include <cmath>
#include <limits>

#include "dense.hpp"

namespace {

using namespace ashlar;
using namespace ashlar::problems;
using namespace ashlar::testing;

using Device = Kokkos::DefaultExecutionSpace;
using Matrix = BcsrMatrix<double>;
using Transport = ConvectionDiffusionReaction;

Dense dense_of(const Transport& problem) { return to_dense(convection_diffusion_reaction<Matrix>(Device(), problem)); }

/// The balance of each cube, face by face.
Dense by_faces(const Transport& problem) {
  const Lattice lattice(problem.nodes);
  const int b = problem.dof;
  const double h = 1.0 / (problem.nodes[2] + 1);
  Dense a(static_cast<int>(lattice.num_points()) * b);
  for (int i = 0; i < lattice.num_points(); ++i) {
    for (int axis = 0; axis < 3; ++axis) {
      for (const int side : {-1, 1}) {
        std::array<int, 3> at{lattice.point(i).x, lattice.point(i).y, lattice.point(i).z};
        at[axis] += side;
        const bool is_inside = at[axis] >= 0 && at[axis] < problem.nodes[axis];
        const int j = is_inside ? static_cast<int>(lattice.number({at[0], at[1], at[2]})) : -1;
        const double outwards = side * problem.velocity[axis];
        for (int s = 0; s < b; ++s) {
          const double spread = problem.diffusion / (s + 1) / (h * h);
          a(i * b + s, i * b + s) += spread + (outwards > 0 ? outwards / h : 0);
          if (is_inside) a(i * b + s, j * b + s) += -spread + (outwards < 0 ? outwards / h : 0);
        }
      }
    }
    for (int s = 0; s < b; ++s) {
      for (int t = 0; t < b; ++t) {
        a(i * b + t, i * b + s) += problem.reaction * (s + 1) * (s == t ? 1.0 : -1.0 / b);
      }
    }
  }
  return a;
}

/// h is 1/2: diffusion 1 counts 4 a face, velocity 1 counts 2.
TEST(ConvectionDiffusionReaction, HasTheseEntriesByHand) {
  const Dense one = dense_of({.nodes = {1, 1, 1}, .dof = 2, .diffusion = 1, .velocity = {1, -2, 0}, .reaction = 8});
  EXPECT_EQ(one.values, (std::vector<double>{24 + 6 + 8, -8, -4, 12 + 6 + 16}));
  const Dense along = dense_of({.nodes = {2, 1, 1}, .diffusion = 1, .velocity = {1, 0, 0}, .reaction = 3});
  EXPECT_EQ(along.values, (std::vector<double>{24 + 2 + 3, -4, -6, 24 + 2 + 3}));
  const Dense against = dense_of({.nodes = {1, 2, 1}, .diffusion = 1, .velocity = {0, -1, 0}, .reaction = 3});
  EXPECT_EQ(against.values, (std::vector<double>{24 + 2 + 3, -6, -4, 24 + 2 + 3}));
}

TEST(ConvectionDiffusionReaction, IsTheBalanceOfEachCube) {
  for (const std::array<int, 3>& nodes : {std::array{1, 1, 1}, {3, 3, 3}, {1, 4, 2}, {5, 1, 3}, {2, 3, 4}}) {
    for (const int b : {1, 2, 3, 6}) {
      const Transport problem{.nodes = nodes, .dof = b, .diffusion = 0.3, .velocity = {1.5, -0.5, 0.25}, .reaction = 2};
      const auto matrix = convection_diffusion_reaction<Matrix>(Device(), problem);
      EXPECT_EQ(matrix.block_size(), b);
      EXPECT_EQ(matrix.num_blocks(), convection_diffusion_reaction_num_blocks(problem));
      const Dense dense = to_dense(matrix), expected = by_faces(problem);
      ASSERT_EQ(dense.n, expected.n);
      for (int row = 0; row < dense.n; ++row) {
        for (int col = 0; col < dense.n; ++col) {
          ASSERT_NEAR(dense(row, col), expected(row, col), 1e-12 * std::abs(expected(row, row))) << row << ' ' << col;
        }
      }
    }
  }
  EXPECT_EQ(convection_diffusion_reaction_num_blocks({.nodes = {3, 3, 3}}), 27 + 2 * 54);
}

TEST(ConvectionDiffusionReaction, IsAnUnsymmetricMMatrix) {
  const int b = 3;
  const Transport problem{.nodes = {4, 3, 5}, .dof = b, .velocity = {-1, 0.5, 2}, .reaction = 7};
  const Lattice lattice(problem.nodes);
  const Dense a = dense_of(problem);
  double largest_difference = 0;
  for (int col = 0; col < a.n; ++col) {
    double column_sum = 0, row_sum = 0;
    for (int row = 0; row < a.n; ++row) {
      EXPECT_EQ(a(row, col) > 0, row == col);
      column_sum += a(row, col);
      row_sum += a(col, row);
      largest_difference = std::max(largest_difference, std::abs(a(row, col) - a(col, row)));
    }
    const int s = col % b;
    const double lost = 7.0 * (s + 1) / b;
    EXPECT_GE(column_sum, lost - 1e-10);
    // The sum of row s of R is the gain of species s.
    const double gained = 7.0 * ((s + 1) - (6.0 - (s + 1)) / b);
    if (lattice.num_neighbours(lattice.point(col / b)) == 27) {
      EXPECT_NEAR(column_sum, lost, 1e-10);
      EXPECT_NEAR(row_sum, gained, 1e-10);
    } else {
      EXPECT_GT(column_sum, lost + 0.01) << "a species leaves at the boundary";
    }
  }
  EXPECT_GT(largest_difference, 1);
}

TEST(ConvectionDiffusionReaction, HasItsRowsByRanges) {
  const Transport problem{.nodes = {3, 2, 4}, .dof = 2};
  const auto whole = to_host_matrix(convection_diffusion_reaction<Matrix>(Device(), problem));
  for (const RowRange& rows : {RowRange{0, 24}, {0, 0}, {24, 24}, {5, 17}, {23, 24}}) {
    const auto part = to_host_matrix(convection_diffusion_reaction<Matrix>(Device(), problem, rows));
    ASSERT_EQ(part.num_block_rows(), rows.size());
    EXPECT_EQ(part.num_block_cols(), 24);
    const auto first = whole.graph().row_ptr()(rows.begin);
    ASSERT_EQ(part.num_blocks(), whole.graph().row_ptr()(rows.end) - first);
    for (std::int64_t k = 0; k < part.num_blocks(); ++k) {
      EXPECT_EQ(part.graph().col_idx()(k), whole.graph().col_idx()(first + k));
      for (int v = 0; v < 4; ++v) EXPECT_EQ(part.values()(4 * k + v), whole.values()(4 * (first + k) + v));
    }
  }
  for (const RowRange& rows : {RowRange{-1, 3}, {3, 2}, {0, 25}}) {
    EXPECT_THROW(convection_diffusion_reaction<Matrix>(Device(), problem, rows), ArgumentError);
  }
}

TEST(ConvectionDiffusionReaction, RefusesOptionsThatAreNone) {
  const auto refused = [](const Transport& problem) {
    EXPECT_THROW(check(problem), ArgumentError);
    EXPECT_THROW(convection_diffusion_reaction<Matrix>(Device(), problem), ArgumentError);
    EXPECT_THROW(convection_diffusion_reaction<Matrix>(Device(), problem, {0, 1}), ArgumentError);
  };
  refused({.nodes = {3, 0, 3}});
  refused({.dof = 0});
  refused({.dof = 7});
  refused({.diffusion = 0});
  refused({.velocity = {0, std::numeric_limits<double>::infinity(), 0}});
  refused({.reaction = -1});
  EXPECT_THROW(convection_diffusion_reaction<Matrix>(Device(), {.nodes = {1000, 1000, 1000}}), ShapeError);
}

}  // namespace
