// CG and its preconditioners: iteration counts that theory gives, not only small residuals, and each way to end.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "krylov/systems.hpp"
#include "support/some_types.hpp"

namespace ashlar::testing {
namespace {

template <class S>
struct Solved {
  SolveReport report;
  std::vector<S> x;
};

template <class S, class M>
Solved<S> solve(const BcsrMatrix<S>& a, const M& m, const std::vector<S>& b, const CgOptions& options = {},
                std::vector<S> x = {}) {
  const Exec exec;
  x.resize(b.size(), S(0));
  const auto x_device = to_device<Space>(x);
  const auto report = cg(exec, BcsrOperator<BcsrMatrix<S>>(exec, a), m, to_device<Space>(b), x_device, options);
  return {report, to_host(x_device)};
}

template <class S>
class Cg : public ::testing::Test {};
using Scalars = SomeTypes<float, double, Kokkos::complex<float>, Kokkos::complex<double>>;
TYPED_TEST_SUITE(Cg, Scalars);

TYPED_TEST(Cg, NeedsAsManyIterationsAsThereAreEigenvalues) {
  using S = TypeParam;
  std::vector<S> entries(600);
  for (std::size_t i = 0; i < entries.size(); ++i) entries[i] = S(1 + i % 5);
  const auto b = random_vector<S>(entries.size(), 1);
  const double rtol = std::is_same_v<real_t<S>, float> ? 1e-5 : 1e-12;
  const auto solved = solve(diagonal(entries), IdentityPreconditioner{}, b, {.rtol = rtol});
  EXPECT_EQ(solved.report.status, SolveStatus::converged);
  EXPECT_EQ(solved.report.iterations, 5);
  std::vector<S> expected(b.size());
  for (std::size_t i = 0; i < b.size(); ++i) expected[i] = b[i] / entries[i];
  EXPECT_LE(max_difference(solved.x, expected), 10 * rtol);
}

TYPED_TEST(Cg, IsDoneInOneIterationWithTheExactInverse) {
  using S = TypeParam;
  // Hermitian blocks, no two alike.
  const auto a = block_diagonal<S>(200, 3, [](int i, int r, int c) {
    if (r == c) return S(4 + i % 7 + r);
    const auto off = static_cast<real_t<S>>(0.5 + 0.01 * (i % 11));
    if constexpr (is_complex_v<S>) return S(off, r < c ? off : -off);
    return S(off);
  });
  const auto b = random_vector<S>(600, 1);
  const double rtol = std::is_same_v<real_t<S>, float> ? 1e-5 : 1e-13;
  const Exec exec;
  const auto solved = solve(a, BlockJacobiPreconditioner<BcsrMatrix<S>>(exec, a), b, {.rtol = rtol});
  EXPECT_EQ(solved.report.status, SolveStatus::converged);
  EXPECT_EQ(solved.report.iterations, 1);
  // Jacobi is no exact inverse of these.
  const auto jacobi = solve(a, JacobiPreconditioner<BcsrMatrix<S>>(exec, a), b, {.rtol = rtol});
  EXPECT_EQ(jacobi.report.status, SolveStatus::converged);
  EXPECT_GT(jacobi.report.iterations, 1);
  EXPECT_LE(max_difference(solved.x, jacobi.x), 20 * rtol);
}

TEST(CgTest, FollowsTheTextbookOnTheLaplacian) {
  // Serial CG, written down once more in the plainest way.
  const int n = 300;
  const auto apply = [](const std::vector<double>& v) {
    std::vector<double> w(n);
    for (int i = 0; i < n; ++i) w[i] = 2 * v[i] - (i > 0 ? v[i - 1] : 0) - (i < n - 1 ? v[i + 1] : 0);
    return w;
  };
  const auto inner = [](const std::vector<double>& u, const std::vector<double>& v) {
    double sum = 0;
    for (std::size_t i = 0; i < u.size(); ++i) sum += u[i] * v[i];
    return sum;
  };
  const auto b = random_vector<double>(n, 1);
  std::vector<double> r = b, p = b, history{1.0};
  double rr = inner(r, r);
  for (int k = 0; k < 100; ++k) {
    const auto q = apply(p);
    const double alpha = rr / inner(p, q);
    for (int i = 0; i < n; ++i) r[i] -= alpha * q[i];
    const double next = inner(r, r);
    for (int i = 0; i < n; ++i) p[i] = r[i] + next / rr * p[i];
    rr = next;
    history.push_back(std::sqrt(rr / inner(b, b)));
  }
  const auto solved = solve(laplacian_1d(n), IdentityPreconditioner{}, b, {.rtol = 0, .max_iterations = 100});
  EXPECT_EQ(solved.report.status, SolveStatus::iteration_limit);
  ASSERT_EQ(solved.report.residual_history.size(), 101u);
  for (int k = 0; k <= 100; ++k) {
    EXPECT_NEAR(solved.report.residual_history[k], history[k], 1e-7 * history[k]) << "iteration " << k;
  }
}

TEST(CgTest, KeepsTheBoundOfChebyshev) {
  const int n = 200;
  const auto solved = solve(laplacian_1d(n), IdentityPreconditioner{}, random_vector<double>(n, 1), {.rtol = 1e-10});
  EXPECT_EQ(solved.report.status, SolveStatus::converged);
  EXPECT_LE(solved.report.iterations, n + 20);  // n in exact arithmetic
  EXPECT_LE(solved.report.relative_residual, 1e-10);
}

TEST(CgTest, CountsTheSameHoweverOftenTheHostLooks) {
  const int n = 300;
  const auto a = laplacian_1d(n);
  const auto b = random_vector<double>(n, 1);
  const auto once = solve(a, IdentityPreconditioner{}, b, {.rtol = 1e-6, .check_interval = 1});
  for (const int interval : {3, 50, 1000}) {
    const auto solved = solve(a, IdentityPreconditioner{}, b, {.rtol = 1e-6, .check_interval = interval});
    EXPECT_EQ(solved.report.iterations, once.report.iterations);
    EXPECT_EQ(solved.x, once.x);
    EXPECT_EQ(solved.report.residual_history, once.report.residual_history);
  }
}

TEST(CgTest, StartsFromTheGuessItIsGiven) {
  const auto a = diagonal<double>({1, 2, 3, 4});
  const auto solved = solve(a, IdentityPreconditioner{}, {1, 2, 3, 4}, {}, {1, 1, 1, 1});
  EXPECT_EQ(solved.report.status, SolveStatus::converged);
  EXPECT_EQ(solved.report.iterations, 0);
  EXPECT_EQ(solved.x, std::vector<double>({1, 1, 1, 1}));
}

TEST(CgTest, SolvesForZeroWithoutIterating) {
  const auto solved = solve(diagonal<double>({1, 2, 3}), IdentityPreconditioner{}, {0, 0, 0}, {}, {5, 5, 5});
  EXPECT_EQ(solved.report.status, SolveStatus::converged);
  EXPECT_EQ(solved.x, std::vector<double>({0, 0, 0}));
}

TEST(CgTest, SaysWhenTheMatrixIsIndefinite) {
  EXPECT_EQ(solve(diagonal<double>({1, -2, 3}), IdentityPreconditioner{}, {0, 1, 0}).report.status,
            SolveStatus::indefinite_matrix);
  // No curvature at all counts too.
  EXPECT_EQ(solve(diagonal<double>({1, 0, 3}), IdentityPreconditioner{}, {0, 1, 0}).report.status,
            SolveStatus::indefinite_matrix);
}

TEST(CgTest, SaysWhenThePreconditionerIsIndefinite) {
  // Jacobi of a matrix with a negative diagonal entry.
  const auto a = diagonal<double>({1, -2, 3});
  EXPECT_EQ(solve(a, JacobiPreconditioner<BcsrMatrix<double>>(Exec(), a), {0, 1, 0}).report.status,
            SolveStatus::breakdown);
}

TEST(CgTest, SaysWhenNumbersAreNotFinite) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  const auto a = diagonal<double>({1, 2, 3});
  EXPECT_EQ(solve(a, IdentityPreconditioner{}, {1, nan, 1}).report.status, SolveStatus::non_finite);
  EXPECT_EQ(solve(a, IdentityPreconditioner{}, {1, inf, 1}).report.status, SolveStatus::non_finite);
  const auto solved = solve(diagonal<double>({1, nan, 3}), IdentityPreconditioner{}, {1, 1, 1});
  EXPECT_EQ(solved.report.status, SolveStatus::non_finite);
  EXPECT_EQ(solved.x, std::vector<double>({0, 0, 0})) << "x must stay the last good one";
}

TEST(CgTest, IsNotFooledByARecurrenceThatConvergesToInfinity) {
  // alpha is just finite, x = alpha * b is not; the recurrence takes r - alpha * q = 0 for the solution.
  const auto solved = solve(diagonal<double>({1e-308}), IdentityPreconditioner{}, {10});
  EXPECT_EQ(solved.report.status, SolveStatus::non_finite);
}

TEST(CgTest, SaysWhenTheResidualNoLongerFalls) {
  // A tolerance that rounding does not allow: in single precision with a condition number of 1e6.
  std::vector<float> entries(400);
  for (std::size_t i = 0; i < entries.size(); ++i) entries[i] = static_cast<float>(std::pow(1e6, double(i) / 400));
  const auto solved = solve(diagonal(entries), IdentityPreconditioner{}, random_vector<float>(400, 1),
                            {.rtol = 1e-9, .max_iterations = 100000, .stagnation_window = 300});
  EXPECT_EQ(solved.report.status, SolveStatus::accuracy_limit);
  EXPECT_GT(solved.report.relative_residual, 1e-9);
}

TEST(CgTest, EndsWhenAToleranceOfZeroLeavesNothingToGain) {
  // Without a floor the scalars underflow and the matrix would be called indefinite.
  const auto solved = solve(laplacian_1d(50), IdentityPreconditioner{}, random_vector<double>(50, 1),
                            {.rtol = 0, .max_iterations = 100000});
  EXPECT_EQ(solved.report.status, SolveStatus::accuracy_limit);
  EXPECT_LT(solved.report.iterations, 2000);
  EXPECT_LE(solved.report.relative_residual, 1e-12);
}

TEST(CgTest, ReportsTheTrueResidualAndNoneBetter) {
  // In single precision the recurrence falls below what x attains; the report must not follow it.
  std::vector<float> entries(400);
  for (std::size_t i = 0; i < entries.size(); ++i) entries[i] = static_cast<float>(std::pow(1e4, double(i) / 400));
  const auto b = random_vector<float>(400, 1);
  const auto solved = solve(diagonal(entries), IdentityPreconditioner{}, b, {.rtol = 1e-6, .max_iterations = 3000});
  double squared = 0, norm = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    squared += std::pow(double(b[i]) - double(entries[i]) * solved.x[i], 2);
    norm += std::pow(double(b[i]), 2);
  }
  EXPECT_NEAR(solved.report.relative_residual, std::sqrt(squared / norm), 1e-7);
  if (solved.report.status == SolveStatus::converged) {
    EXPECT_LE(solved.report.relative_residual, 1.001e-6);
  }
}

TEST(CgTest, RefusesBadArgumentsBeforeAnyWork) {
  const Exec exec;
  const auto a = diagonal<double>({1, 2, 3});
  EXPECT_THROW(solve(a, IdentityPreconditioner{}, {1, 2}), ShapeError);
  EXPECT_THROW(solve(a, IdentityPreconditioner{}, {1, 2, 3}, {.rtol = -1}), ArgumentError);
  EXPECT_THROW(solve(a, IdentityPreconditioner{}, {1, 2, 3}, {.rtol = std::nan("")}), ArgumentError);
  EXPECT_THROW(solve(a, IdentityPreconditioner{}, {1, 2, 3}, {.max_iterations = -1}), ArgumentError);
}

TEST(CgTest, TellsTheMonitorOfItsProgress) {
  std::vector<int> seen;
  std::vector<double> residuals;
  CgOptions options{.rtol = 1e-10};
  options.check_interval = 2;
  options.monitor = [&](int iterations, double residual) {
    seen.push_back(iterations);
    residuals.push_back(residual);
  };
  std::vector<double> entries(20);
  for (int i = 0; i < 20; ++i) entries[i] = 1 + i % 5;
  const auto report = solve(diagonal(entries), IdentityPreconditioner{}, random_vector<double>(20, 1), options).report;
  ASSERT_GE(seen.size(), 3u);
  EXPECT_EQ(residuals[1], report.residual_history[2]);
  EXPECT_EQ(seen[0], 0);
  EXPECT_EQ(seen[1], 2);
  EXPECT_EQ(seen[2], 4);
}

}  // namespace
}  // namespace ashlar::testing
