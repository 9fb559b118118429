// When the forms of CG end: limits, tolerances and windows to the very iteration, however often the host checks.
#include <gtest/gtest.h>

#include <limits>

#include "krylov/forms.hpp"

namespace ashlar::testing {
namespace {

using Solved = SolvedBy<double>;

template <class Form, class M = IdentityPreconditioner>
Solved solve(const BcsrMatrix<double>& a, const std::vector<double>& b, const CgOptions& options, const M& m = {}) {
  return solve_by<Form>(a, b, options, m);
}

template <class Form>
class CgStopping : public ::testing::Test {};
TYPED_TEST_SUITE(CgStopping, Forms);

TYPED_TEST(CgStopping, AtTheIterationLimitWithinAnInterval) {
  const int n = 300;
  const auto a = laplacian_1d(n);
  const auto b = random_vector<double>(n, 1);
  const auto plain = solve<TypeParam>(a, b, {.rtol = 0, .max_iterations = 13, .check_interval = 1});
  for (const int interval : {1, 4, 16, 1000}) {
    const auto solved = solve<TypeParam>(a, b, {.rtol = 0, .max_iterations = 13, .check_interval = interval});
    EXPECT_EQ(solved.report.status, SolveStatus::iteration_limit);
    EXPECT_EQ(solved.report.iterations, 13);
    EXPECT_EQ(solved.report.residual_history.size(), 14u);
    EXPECT_EQ(solved.x, plain.x) << "x of 13 steps, not of more: interval " << interval;
  }
  const auto none = solve<TypeParam>(a, b, {.rtol = 1e-8, .max_iterations = 0});
  EXPECT_EQ(none.report.status, SolveStatus::iteration_limit);
  EXPECT_EQ(none.report.iterations, 0);
  EXPECT_EQ(none.x, std::vector<double>(n, 0.0));
}

TYPED_TEST(CgStopping, AtTheLargerOfBothTolerances) {
  // The first residual at or below the target ends the solve; the sum of both tolerances would end it before.
  const int n = 300;
  const auto a = laplacian_1d(n);
  const auto b = random_vector<double>(n, 1);
  double norm_b = 0;
  for (const double entry : b) norm_b += entry * entry;
  norm_b = std::sqrt(norm_b);
  const auto history = solve<TypeParam>(a, b, {.rtol = 0, .max_iterations = 290}).report.residual_history;
  const auto first_at = [&](double relative) {
    int k = 0;
    while (history[k] > relative) ++k;
    return k;
  };
  const double rtol = 1e-2;
  ASSERT_NE(first_at(rtol), first_at(2 * rtol));
  for (const double atol : {rtol * norm_b, 0.1 * rtol * norm_b, 20 * rtol * norm_b}) {
    const auto report = solve<TypeParam>(a, b, {.rtol = rtol, .atol = atol}).report;
    EXPECT_EQ(report.status, SolveStatus::converged);
    EXPECT_EQ(report.iterations, first_at(std::max(rtol, atol / norm_b)));
  }
}

/// Forms without a product of a product, whose numbers are exact on a stiff chain.
template <class Form>
class CgWindow : public ::testing::Test {};
using ExactForms = ::testing::Types<Standard, SingleReduction>;
TYPED_TEST_SUITE(CgWindow, ExactForms);

TYPED_TEST(CgWindow, EndsASolveWithoutProgress) {
  // The residual stays, and no step after the first lowers the energy of the error by more than 3e-16 of it.
  std::vector<double> b(40, 0.0);
  b[0] = 1;
  for (const int window : {2, 7, 30}) {
    const auto report = solve<TypeParam>(chain(40, std::pow(2.0, 52)), b, {.stagnation_window = window}).report;
    EXPECT_EQ(report.status, SolveStatus::stagnation);
    EXPECT_EQ(report.iterations, window + 1);
  }
  const CgOptions off{.stagnation_window = no_stagnation_window};
  EXPECT_EQ(solve<TypeParam>(chain(40, std::pow(2.0, 52)), b, off).report.status, SolveStatus::converged);
}

TYPED_TEST(CgStopping, NotWhileTheErrorFalls) {
  // The residual stays until the last link, but each step lowers the energy of the error by as much.
  std::vector<double> b(40, 0.0);
  b[0] = 1;
  const auto report = solve<TypeParam>(chain(40, 1), b, {.stagnation_window = 1}).report;
  EXPECT_EQ(report.status, SolveStatus::converged);
  EXPECT_NEAR(report.iterations, 40, TypeParam::slack);
  EXPECT_EQ(report.residual_history[39], 1);
}

TYPED_TEST(CgStopping, TakesNoMemoryForALargeLimit) {
  const auto a = laplacian_1d(100);
  const auto solved = solve<TypeParam>(a, random_vector<double>(100, 1),
                                       {.rtol = 1e-8, .max_iterations = std::numeric_limits<int>::max()});
  EXPECT_EQ(solved.report.status, SolveStatus::converged);
  EXPECT_EQ(int(solved.report.residual_history.size()), solved.report.iterations + 1);
}

TYPED_TEST(CgStopping, WithTheSameAnswerAsTheTextbook) {
  const int n = 300;
  const auto a = laplacian_1d(n);
  const auto b = random_vector<double>(n, 1);
  const Exec exec;
  const JacobiPreconditioner<BcsrMatrix<double>> jacobi(exec, a);
  const auto expect_same = [&](const auto& m) {
    const auto plain = solve<Standard>(a, b, {.rtol = 1e-6, .launch = CgLaunch::one_by_one}, m);
    const auto solved = solve<TypeParam>(a, b, {.rtol = 1e-6}, m);
    EXPECT_EQ(solved.report.status, SolveStatus::converged);
    EXPECT_NEAR(solved.report.iterations, plain.report.iterations, TypeParam::slack);
    EXPECT_LE(solved.report.relative_residual, 1e-6);
    for (int k = 0; k < 40; ++k) {
      EXPECT_NEAR(solved.report.residual_history[k], plain.report.residual_history[k],
                  1e-8 * plain.report.residual_history[k]);
    }
    EXPECT_EQ(solve<TypeParam>(a, b, {.rtol = 1e-6}, m).x, solved.x) << "twice the same bits";
  };
  expect_same(IdentityPreconditioner{});
  expect_same(jacobi);
}

TYPED_TEST(CgStopping, WhereMatrixOrPreconditionerIsIndefinite) {
  const Exec exec;
  const auto a = diagonal<double>({1, -2, 3});
  EXPECT_EQ(solve<TypeParam>(a, {0, 1, 0}, {}).report.status, SolveStatus::indefinite_matrix);
  EXPECT_EQ(solve<TypeParam>(diagonal<double>({1, 0, 3}), {0, 1, 0}, {}).report.status, SolveStatus::indefinite_matrix);
  EXPECT_EQ(solve<TypeParam>(a, {0, 1, 0}, {}, JacobiPreconditioner<BcsrMatrix<double>>(exec, a)).report.status,
            SolveStatus::breakdown);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto solved = solve<TypeParam>(diagonal<double>({1, nan, 3}), {1, 1, 1}, {});
  EXPECT_EQ(solved.report.status, SolveStatus::non_finite);
  EXPECT_EQ(solved.x, std::vector<double>({0, 0, 0})) << "x must stay the last good one";
}

TYPED_TEST(CgStopping, AsOftenAsTheHostLooks) {
  const int n = 300;
  const auto a = laplacian_1d(n);
  const auto b = random_vector<double>(n, 1);
  const auto once = solve<TypeParam>(a, b, {.rtol = 1e-6, .check_interval = 1});
  for (const int interval : {3, 50, 1000}) {
    const auto solved = solve<TypeParam>(a, b, {.rtol = 1e-6, .check_interval = interval});
    EXPECT_EQ(solved.report.iterations, once.report.iterations);
    EXPECT_EQ(solved.x, once.x);
    EXPECT_EQ(solved.report.residual_history, once.report.residual_history);
  }
}

TEST(PipelinedCg, KeepsItsAccuracyByReplacingTheResidual) {
  // Without, the recurrences of a badly conditioned system drift by orders of magnitude.
  const int n = 1000;
  const auto a = laplacian_1d(n);
  const auto solved = solve<Pipelined>(a, random_vector<double>(n, 1), {.rtol = 1e-10, .max_iterations = 20000});
  EXPECT_EQ(solved.report.status, SolveStatus::converged);
  EXPECT_LE(solved.report.relative_residual, 1e-10);
  EXPECT_LE(solved.report.iterations, 2 * n);
}

}  // namespace
}  // namespace ashlar::testing
