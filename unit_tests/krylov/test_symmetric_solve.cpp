// CG, then MINRES: one report for both solvers.
#include <gmock/gmock.h>

#include <ashlar/krylov/concepts.hpp>
#include <ashlar/krylov/minres.hpp>
#include <ashlar/krylov/symmetric_solve.hpp>
#include <cstddef>
#include <string>
#include <vector>

#include "krylov/systems.hpp"

namespace ashlar::testing {
namespace {

using Matrix = BcsrMatrix<double>;
using Operator = BcsrOperator<Matrix>;
using Jacobi = JacobiPreconditioner<Matrix>;
using Vector = Kokkos::View<double*, Space>;

/// CG takes some steps before it finds the one negative eigenvalue.
std::vector<double> mostly_positive(int n) {
  std::vector<double> entries(n);
  for (int i = 0; i < n; ++i) entries[i] = 1 + i;
  entries[2] = -0.2;
  return entries;
}

TEST(SymmetricSolveTest, HasTheResidualsOfBothSolvers) {
  const Exec exec;
  const int n = 40;
  const Matrix matrix = diagonal(mostly_positive(n));
  const Operator a(exec, matrix);
  const IdentityPreconditioner none;
  const Vector b = to_device<Space>(random_vector<double>(n, 1)), x("x", n), y("y", n);
  const SymmetricSolve solved = symmetric_solve(exec, a, none, b, x);
  EXPECT_EQ(solved.report.status, SolveStatus::converged);
  EXPECT_TRUE(solved.by_minres);
  EXPECT_FALSE(solved.without_preconditioner);

  const SolveReport of_cg = cg(exec, a, none, b, y);
  ASSERT_EQ(of_cg.status, SolveStatus::indefinite_matrix);
  ASSERT_GT(of_cg.iterations, 1);
  const SolveReport of_minres = minres(exec, a, none, b, y);
  const auto both = [](std::vector<double> first, const std::vector<double>& second) {
    EXPECT_NEAR(first.back(), second.front(), 1e-12);
    first.pop_back();
    first.insert(first.end(), second.begin(), second.end());
    return first;
  };
  EXPECT_EQ(solved.report.true_residuals, both(of_cg.true_residuals, of_minres.true_residuals));
  EXPECT_EQ(solved.report.residual_history, both(of_cg.residual_history, of_minres.residual_history));
  EXPECT_EQ(solved.report.iterations, of_cg.iterations + of_minres.iterations);
  EXPECT_NEAR(solved.report.true_residuals.front(), 1, 1e-14);
  EXPECT_EQ(to_host(x), to_host(y));
}

/// After one step of CG, r^T M^-1 r is negative: MINRES runs if there are iterations left.
TEST(SymmetricSolveTest, SaysWhoRanAndNoMore) {
  const Exec exec;
  const Matrix matrix = diagonal<double>({1, 1}), other = diagonal<double>({0.5, -1});
  const Operator a(exec, matrix);
  const Jacobi m(exec, other);
  const Vector b = to_device<Space>(std::vector<double>{1, 1}), x("x", 2);
  const SymmetricSolve one = symmetric_solve(exec, a, m, b, x, {.max_iterations = 1});
  EXPECT_EQ(one.report.status, SolveStatus::breakdown);
  EXPECT_EQ(one.report.iterations, 1);
  EXPECT_FALSE(one.by_minres);
  EXPECT_FALSE(one.without_preconditioner);
  EXPECT_EQ(one.but(), "");

  Kokkos::deep_copy(x, 0);
  const SymmetricSolve all = symmetric_solve(exec, a, m, b, x);
  EXPECT_EQ(all.report.status, SolveStatus::converged);
  EXPECT_TRUE(all.by_minres);
  EXPECT_TRUE(all.without_preconditioner);
  EXPECT_LE(max_difference(to_host(x), {1, 1}), 1e-7);
}

}  // namespace
}  // namespace ashlar::testing
