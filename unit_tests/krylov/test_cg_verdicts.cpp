// What the forms of CG say of a solve: never "converged" of a wrong x, never "indefinite" of a matrix that is not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ashlar/problems/cantilever.hpp>
#include <limits>

#include "krylov/forms.hpp"

namespace ashlar::testing {
namespace {

using ::testing::HasSubstr;
using Matrix = BcsrMatrix<double>;

template <class Form>
class CgVerdicts : public ::testing::Test {};
TYPED_TEST_SUITE(CgVerdicts, Forms);

/// A chain of 2 on, -1 beside the diagonal, held by a stiff first row; its solution.
struct PenaltyChain {
  Matrix a;
  std::vector<double> b, x;
};

PenaltyChain penalty_chain(double stiffness) {
  const int n = 10;
  PenaltyChain chain{laplacian_1d(n), std::vector<double>(n, 1.0), {}};
  const auto values = Kokkos::create_mirror(chain.a.values());
  Kokkos::deep_copy(values, chain.a.values());
  values(0) = stiffness;
  Kokkos::deep_copy(chain.a.values(), values);
  chain.b[0] = stiffness;
  // Elimination, row after row.
  std::vector<double> d(n, 2.0), f = chain.b;
  d[0] = stiffness;
  for (int i = 1; i < n; ++i) {
    d[i] -= 1 / d[i - 1];
    f[i] += f[i - 1] / d[i - 1];
  }
  chain.x.assign(n, 0);
  for (int i = n - 1; i >= 0; --i) chain.x[i] = (f[i] + (i + 1 < n ? chain.x[i + 1] : 0)) / d[i];
  return chain;
}

TYPED_TEST(CgVerdicts, RowsOfVeryDifferentSizeDoNotHideAnError) {
  for (const double stiffness : {1e9, 1e15}) {
    const auto chain = penalty_chain(stiffness);
    const JacobiPreconditioner<Matrix> m(Exec(), chain.a);
    for (const ResidualNorm norm : {ResidualNorm::unpreconditioned, ResidualNorm::preconditioned}) {
      const auto solved = solve_by<TypeParam>(chain.a, chain.b, {.rtol = 1e-8, .norm = norm}, m);
      EXPECT_EQ(solved.report.status, SolveStatus::converged);
      EXPECT_EQ(solved.report.warning, "");
      EXPECT_LE(solved.report.preconditioned_residual, 1e-5);
      for (std::size_t i = 0; i < chain.x.size(); ++i) {
        EXPECT_NEAR(solved.x[i], chain.x[i], 1e-4) << stiffness << ", " << to_string(norm);
      }
    }
  }
}

TYPED_TEST(CgVerdicts, WarnsIfAnErrorStaysHidden) {
  const auto chain = penalty_chain(1e15);
  const JacobiPreconditioner<Matrix> m(Exec(), chain.a);
  const auto solved = solve_by<TypeParam>(chain.a, chain.b, {.rtol = 1e-8, .max_iterations = 1}, m);
  EXPECT_EQ(solved.report.status, SolveStatus::converged);
  EXPECT_GT(solved.report.preconditioned_residual, 0.01);
  EXPECT_THAT(solved.report.warning, HasSubstr("||M^-1 r||"));
}

TYPED_TEST(CgVerdicts, StopsByTheNormAskedFor) {
  // A diagonal over four orders of magnitude, whose norms differ.
  const int n = 300;
  Matrix a = laplacian_1d(n);
  const auto values = Kokkos::create_mirror(a.values());
  Kokkos::deep_copy(values, a.values());
  const auto row_ptr = to_host(a.graph().row_ptr());
  std::vector<double> diagonal(n);
  for (int i = 0; i < n; ++i) {
    diagonal[i] = 2 + std::pow(10.0, 4.0 * i / n);
    values(row_ptr[i] + (i > 0 ? 1 : 0)) = diagonal[i];
  }
  Kokkos::deep_copy(a.values(), values);
  const auto b = random_vector<double>(n, 1);
  const JacobiPreconditioner<Matrix> m(Exec(), a);
  const double rtol = 1e-6;
  for (const ResidualNorm norm :
       {ResidualNorm::unpreconditioned, ResidualNorm::preconditioned, ResidualNorm::natural}) {
    const auto solved = solve_by<TypeParam>(a, b, {.rtol = rtol, .norm = norm}, m);
    ASSERT_EQ(solved.report.status, SolveStatus::converged);
    const auto squares_of = [&](const std::vector<double>& x) {
      double squares = 0;
      for (int i = 0; i < n; ++i) {
        const double r = b[i] - diagonal[i] * x[i] + (i > 0 ? x[i - 1] : 0) + (i + 1 < n ? x[i + 1] : 0);
        const double weight = norm == ResidualNorm::unpreconditioned ? 1
                              : norm == ResidualNorm::natural        ? 1 / diagonal[i]
                                                                     : 1 / (diagonal[i] * diagonal[i]);
        squares += r * r * weight;
      }
      return squares;
    };
    const double of_b = std::sqrt(squares_of(std::vector<double>(n, 0.0)));
    EXPECT_LE(std::sqrt(squares_of(solved.x)), rtol * of_b);
    EXPECT_NEAR(solved.report.residual_history.back(), std::sqrt(squares_of(solved.x)) / of_b, 1e-3 * rtol);
    const int before = solved.report.iterations - 1 - TypeParam::slack;
    const auto short_of_it = solve_by<TypeParam>(a, b, {.rtol = 0, .max_iterations = before}, m);
    EXPECT_GT(std::sqrt(squares_of(short_of_it.x)), rtol * of_b) << to_string(norm);
  }
}

TYPED_TEST(CgVerdicts, KeepsTheBestXOfAnUnsymmetricMatrix) {
  // Convection that blows one way, beside diffusion.
  const int n = 400;
  Matrix a = laplacian_1d(n);
  const auto values = Kokkos::create_mirror(a.values());
  Kokkos::deep_copy(values, a.values());
  for (int i = 1; i < n; ++i) {
    values(3 * i - 1) = -1.9;                 // (i, i - 1)
    if (i + 1 < n) values(3 * i + 1) = -0.1;  // (i, i + 1)
  }
  values(1) = -0.1;
  Kokkos::deep_copy(a.values(), values);
  const auto solved = solve_by<TypeParam>(a, random_vector<double>(n, 1), {.rtol = 1e-8});
  EXPECT_EQ(solved.report.status, SolveStatus::diverged);
  EXPECT_THAT(solved.report.warning, HasSubstr("not symmetric"));
  EXPECT_LE(solved.report.relative_residual, 1);
}

TYPED_TEST(CgVerdicts, TakesAnyUnitsOfMatrixAndRightHandSide) {
  const int n = 60;
  const auto b = random_vector<double>(n, 1);
  const auto plain = solve_by<TypeParam>(laplacian_1d(n), b, {.rtol = 1e-10});
  ASSERT_EQ(plain.report.status, SolveStatus::converged);
  const auto expect_same = [&](int exponent_of_a, int exponent_of_b) {
    const double of_a = std::ldexp(1.0, exponent_of_a), of_b = std::ldexp(1.0, exponent_of_b);
    const Matrix a = laplacian_1d(n);
    const auto values = Kokkos::create_mirror(a.values());
    Kokkos::deep_copy(values, a.values());
    for (std::size_t i = 0; i < values.extent(0); ++i) values(i) *= of_a;
    Kokkos::deep_copy(a.values(), values);
    auto scaled_b = b;
    for (double& entry : scaled_b) entry *= of_b;
    const auto solved = solve_by<TypeParam>(a, scaled_b, {.rtol = 1e-10});
    EXPECT_EQ(solved.report.status, SolveStatus::converged) << exponent_of_a << ", " << exponent_of_b;
    EXPECT_EQ(solved.report.iterations, plain.report.iterations);
    for (int i = 0; i < n; ++i) EXPECT_EQ(solved.x[i] / of_b * of_a, plain.x[i]);
  };
  expect_same(0, -525);     // b near 1e-158
  expect_same(0, -512);     // b near 1e-154
  expect_same(0, 1000);     // squares of b overflow
  expect_same(-400, -400);  // A and b near 1e-120
  expect_same(-400, 0);
  expect_same(400, 0);
}

TYPED_TEST(CgVerdicts, TakesAnyUnitsInSinglePrecision) {
  for (const float unit : {1e-25f, 1e-30f, 1e25f}) {
    const auto a = diagonal<float>({2 * unit, 3 * unit, 5 * unit});
    if constexpr (std::is_same_v<TypeParam, Pipelined>) {
      // Squares of A are no floats.
      EXPECT_THROW((solve_by<TypeParam, float>(a, {2 * unit, 6 * unit, 15 * unit}, {.rtol = 1e-6})), NumericalError);
      continue;
    }
    const auto solved = solve_by<TypeParam, float>(a, {2 * unit, 6 * unit, 15 * unit}, {.rtol = 1e-6});
    EXPECT_EQ(solved.report.status, SolveStatus::converged) << unit;
    EXPECT_NEAR(solved.x[0], 1, 1e-5);
    EXPECT_NEAR(solved.x[1], 2, 1e-5);
    EXPECT_NEAR(solved.x[2], 3, 1e-5);
  }
}

TYPED_TEST(CgVerdicts, RefusesASolutionThatItsTypeCannotHold) {
  const auto solved = solve_by<TypeParam>(diagonal<double>({1e-20, 1e-20}), {1e300, 1e300}, {});
  EXPECT_EQ(solved.report.status, SolveStatus::non_finite);
  EXPECT_THAT(solved.report.warning, HasSubstr("range of double"));
}

struct Beam {
  Matrix a;
  Kokkos::View<double*, Space> b;
};

Beam beam(std::array<int, 3> nodes) {
  const problems::Cantilever problem{.nodes = nodes, .dof = 3};
  return {problems::cantilever_matrix<Matrix>(Exec(), problem), problems::cantilever_load<double>(Exec(), problem)};
}

TYPED_TEST(CgVerdicts, SolvesASlenderBeamInAboutAsManyIterationsAsTheTextbook) {
  // Recurrences for p^H A p lose their sign here: that proves nothing.
  const auto [a, load] = beam({81, 3, 3});
  const BlockJacobiPreconditioner<Matrix> m(Exec(), a);
  const auto b = to_host(load);
  const auto textbook = solve_by<Standard>(a, b, {.rtol = 1e-8}, m);
  const auto solved = solve_by<TypeParam>(a, b, {.rtol = 1e-8}, m);
  EXPECT_EQ(textbook.report.status, SolveStatus::converged);
  EXPECT_EQ(solved.report.status, SolveStatus::converged);
  // (The pipelined form drifts more, and is set right every 24 iterations.)
  const double most = std::is_same_v<TypeParam, Pipelined> ? 2.5 : 1.1;
  EXPECT_LE(solved.report.iterations, most * textbook.report.iterations);
}

TEST(CgVerdictsOfTheTextbook, GoesOnWhileAResidualOnAPlateauHidesAnErrorThatFalls) {
  const auto [a, load] = beam({161, 2, 2});
  const auto b = to_host(load);
  const auto solved = solve_by<Standard>(a, b, {.rtol = 1e-6, .max_iterations = 100000});
  EXPECT_EQ(solved.report.status, SolveStatus::converged);
  EXPECT_GT(solved.report.iterations, int(b.size()));
}

TYPED_TEST(CgVerdicts, StopsWhereTheMonitorDoes) {
  const int n = 300;
  const auto a = laplacian_1d(n);
  const auto b = random_vector<double>(n, 1);
  for (const int interval : {1, 16}) {
    const auto stopped =
        solve_by<TypeParam>(a, b, {.rtol = 1e-8, .check_interval = interval, .monitor = [](int k, double) {
                                     return k >= 32 ? MonitorAction::stop : MonitorAction::proceed;
                                   }});
    EXPECT_EQ(stopped.report.status, SolveStatus::interrupted);
    // (A graph of the pipelined form is 24 iterations long.)
    EXPECT_GE(stopped.report.iterations, 32);
    EXPECT_LE(stopped.report.iterations, interval == 1 ? 33 : 50);
    const auto limited = solve_by<TypeParam>(
        a, b, {.rtol = 1e-8, .max_iterations = stopped.report.iterations, .check_interval = interval});
    EXPECT_EQ(stopped.x, limited.x);
    EXPECT_EQ(stopped.report.relative_residual, limited.report.relative_residual);
  }
}

}  // namespace
}  // namespace ashlar::testing
