// BiCGStab against Eigen's.
#include <gmock/gmock.h>

#include <Eigen/IterativeLinearSolvers>
#include <ashlar/base/text.hpp>
#include <ashlar/krylov/bicgstab.hpp>
#include <ashlar/krylov/concepts.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "krylov/dense_system.hpp"

namespace ashlar::testing {
namespace {

template <class S>
struct BiCgStabSolves : ::testing::Test {
  static constexpr int n = 47;
  const DenseMatrix<S> a = 2 * DenseMatrix<S>::Identity(n, n) + 0.2 * random_dense<S>(n, 1);
  const std::vector<S> b = random_vector<S>(n, 2);
  const double eps = std::numeric_limits<real_t<S>>::epsilon();
  const Kokkos::View<S*, Space> x{"test::x", n};
};
using Scalars = ::testing::Types<double, float, Kokkos::complex<double>, Kokkos::complex<float>>;
TYPED_TEST_SUITE(BiCgStabSolves, Scalars);

TYPED_TEST(BiCgStabSolves, InAsManyIterationsAsEigen) {
  using S = TypeParam;
  const double rtol = 300 * this->eps;
  const SolveReport report = bicgstab(Exec(), dense_operator<S>(this->a), IdentityPreconditioner(),
                                      to_device<Space>(this->b), this->x, {.rtol = rtol});
  EXPECT_EQ(report.status, SolveStatus::converged);
  EXPECT_LE(report.relative_residual, rtol);
  EXPECT_GE(report.products, 2 * report.iterations + 2);
  Eigen::BiCGSTAB<DenseMatrix<S>, Eigen::IdentityPreconditioner> peer(this->a);
  peer.setTolerance(rtol);
  const DenseVector<S> expected = peer.solve(to_exact(this->b));
  EXPECT_NEAR(report.iterations, peer.iterations(), 2);
  EXPECT_GT(report.iterations, 4);
  expect_solution(this->a, this->b, this->x, 100 * rtol);
}

TYPED_TEST(BiCgStabSolves, WithAPreconditioner) {
  using S = TypeParam;
  const double rtol = 300 * this->eps;
  const DenseMatrix<S> near = this->a + 0.02 * random_dense<S>(this->n, 3);
  const SolveReport report = bicgstab(Exec(), dense_operator<S>(this->a), DensePreconditioner<S>(near.inverse()),
                                      to_device<Space>(this->b), this->x, {.rtol = rtol});
  EXPECT_EQ(report.status, SolveStatus::converged);
  EXPECT_LE(report.iterations, 8);
  expect_solution(this->a, this->b, this->x, 100 * rtol);
}

/// With its own recurrence: x after k iterations has the residual that the history tells.
TYPED_TEST(BiCgStabSolves, AndKnowsItsResidual) {
  using S = TypeParam;
  const DensePreconditioner<S> m(
      DenseMatrix<S>(0.5 * DenseMatrix<S>::Identity(this->n, this->n) + 0.02 * random_dense<S>(this->n, 3)));
  for (const int iterations : {1, 2, 5}) {
    Kokkos::deep_copy(this->x, S(0));
    const SolveReport report = bicgstab(Exec(), dense_operator<S>(this->a), m, to_device<Space>(this->b), this->x,
                                        {.max_iterations = iterations});
    EXPECT_EQ(report.status, SolveStatus::iteration_limit);
    EXPECT_EQ(report.iterations, iterations);
    const DenseVector<S> b = to_exact(this->b), r = b - this->a * exact_of<S>(this->x);
    EXPECT_NEAR(report.residual_history.back(), r.norm() / b.norm(), 100 * this->eps);
  }
}

using BiCgStabOfDoubles = BiCgStabSolves<double>;

TEST_F(BiCgStabOfDoubles, TheSameHoweverOftenTheHostLooks) {
  const auto a = dense_operator<double>(this->a);
  const auto right = to_device<Space>(b);
  const SolveReport plain =
      bicgstab(Exec(), a, IdentityPreconditioner(), right, x, {.rtol = 1e-12, .launch = Launch::one_by_one});
  const auto expected = to_host(x);
  for (const int interval : {1, 3, 50}) {
    Kokkos::deep_copy(x, 0);
    const SolveReport report =
        bicgstab(Exec(), a, IdentityPreconditioner(), right, x, {.rtol = 1e-12, .check_interval = interval});
    EXPECT_EQ(report.residual_history, plain.residual_history);
    EXPECT_EQ(to_host(x), expected);
  }
}

/// r^H A r = 0 for each r: the first step fails. Never NaN, never `converged`.
TEST_F(BiCgStabOfDoubles, BreaksDownForASkewMatrix) {
  DenseMatrix<double> skew = DenseMatrix<double>::Zero(n, n);
  for (int i = 0; i + 1 < n; i += 2) {
    skew(i, i + 1) = 1;
    skew(i + 1, i) = -1;
  }
  std::vector<double> unit(n);
  unit[0] = 1;
  // Of the other right-hand side r^H A r is rounding.
  const DenseMatrix<double> random = random_dense<double>(n, 9), dense = random - random.transpose();
  for (const auto& [matrix, right] : {std::pair(skew, unit), {dense, b}}) {
    Kokkos::deep_copy(x, 0);
    const SolveReport report =
        bicgstab(Exec(), dense_operator<double>(matrix), IdentityPreconditioner(), to_device<Space>(right), x);
    EXPECT_EQ(report.status, SolveStatus::breakdown);
    EXPECT_EQ(report.relative_residual, 1);
  }
}

TEST_F(BiCgStabOfDoubles, InOneIterationAMultipleOfOne) {
  const DenseMatrix<double> scaled = 3 * DenseMatrix<double>::Identity(n, n);
  const SolveReport report =
      bicgstab(Exec(), dense_operator<double>(scaled), IdentityPreconditioner(), to_device<Space>(b), x);
  EXPECT_EQ(report.status, SolveStatus::converged);
  EXPECT_EQ(report.iterations, 1);
}

TEST_F(BiCgStabOfDoubles, NothingThatIsNotFinite) {
  DenseMatrix<double> infinite = a;
  infinite(3, 4) = std::numeric_limits<double>::infinity();
  EXPECT_EQ(bicgstab(Exec(), dense_operator<double>(infinite), IdentityPreconditioner(), to_device<Space>(b), x).status,
            SolveStatus::non_finite);
}

}  // namespace
}  // namespace ashlar::testing
