// GMRES against its definition: the least residual over a Krylov space, by Eigen.
#include <gmock/gmock.h>

#include <ashlar/base/text.hpp>
#include <ashlar/blas1/blas1.hpp>
#include <ashlar/krylov/concepts.hpp>
#include <ashlar/krylov/gmres.hpp>
#include <cmath>
#include <limits>
#include <support/message.hpp>
#include <vector>

#include "krylov/dense_system.hpp"

namespace ashlar::testing {
namespace {

using ::testing::HasSubstr;

template <class S>
struct GmresSolves : ::testing::Test {
  static constexpr int n = 47;
  /// Unsymmetric, with a spectrum around 2.
  const DenseMatrix<S> a = 2 * DenseMatrix<S>::Identity(n, n) + 0.25 * random_dense<S>(n, 1);
  const std::vector<S> b = random_vector<S>(n, 2);
  const double eps = std::numeric_limits<real_t<S>>::epsilon();
  const Kokkos::View<S*, Space> x{"test::x", n};

  /// History by history, to rounding: relative to ||b||.
  void expect_least(const SolveReport& report, const DenseMatrix<S>& matrix, int restart) const {
    const auto least = least_residuals<S>(matrix, to_exact(b), restart, report.iterations);
    ASSERT_EQ(report.residual_history.size(), least.size());
    for (std::size_t k = 0; k < least.size(); ++k) {
      EXPECT_NEAR(report.residual_history[k], least[k] / least[0], 100 * eps + 0.02 * report.residual_history[k])
          << "iteration " << k;
    }
  }
};
using Scalars = ::testing::Types<double, float, Kokkos::complex<double>, Kokkos::complex<float>>;
TYPED_TEST_SUITE(GmresSolves, Scalars);

TYPED_TEST(GmresSolves, WithTheLeastResidualInEachIteration) {
  using S = TypeParam;
  const double rtol = 100 * this->eps;
  for (const int restart : {47, 10, 1}) {
    SCOPED_TRACE(text("restart ", restart));
    Kokkos::deep_copy(this->x, S(0));
    const SolveReport report = gmres(Exec(), dense_operator<S>(this->a), IdentityPreconditioner(),
                                     to_device<Space>(this->b), this->x, {.rtol = rtol, .restart = restart});
    EXPECT_EQ(report.status, SolveStatus::converged);
    EXPECT_LE(report.relative_residual, rtol);
    this->expect_least(report, this->a, restart);
    expect_solution(this->a, this->b, this->x, 100 * rtol);
  }
}

TYPED_TEST(GmresSolves, WithAPreconditionerFromTheRight) {
  using S = TypeParam;
  const double rtol = 100 * this->eps;
  DenseMatrix<S> m_inverse = DenseMatrix<S>::Identity(this->n, this->n) + 0.05 * random_dense<S>(this->n, 3);
  for (int i = 0; i < this->n; ++i) {
    for (int j = 0; j < this->n; ++j) m_inverse(i, j) = to_exact(from_exact<S>(m_inverse(i, j)));
  }
  for (const int restart : {47, 7}) {
    for (const bool flexible : {false, true}) {
      SCOPED_TRACE(text("restart ", restart, flexible ? ", flexible" : ""));
      Kokkos::deep_copy(this->x, S(0));
      const auto a = dense_operator<S>(this->a);
      const DensePreconditioner<S> m(m_inverse);
      const auto b = to_device<Space>(this->b);
      const GmresOptions options{.rtol = rtol, .restart = restart};
      const SolveReport report =
          flexible ? fgmres(Exec(), a, m, b, this->x, options) : gmres(Exec(), a, m, b, this->x, options);
      EXPECT_EQ(report.status, SolveStatus::converged);
      this->expect_least(report, this->a * m_inverse, restart);
      expect_solution(this->a, this->b, this->x, 100 * rtol);
    }
  }
}

/// x becomes better in each application, as by an inner solver that knows more each time.
struct ChangingPreconditioner {
  mutable int applied = 0;

  template <class OnExec, class R, class Z>
  void apply(const OnExec& exec, const R& r, const Z& z) const {
    axpby(exec, ++applied % 2 == 0 ? 1.0 : 0.2, r, 0, z);
    const int flipped = applied % 5;
    Kokkos::parallel_for(
        "test::flip", Kokkos::RangePolicy<OnExec>(exec, 0, int(z.extent(0))),
        KOKKOS_LAMBDA(int i) { z(i) *= i % 5 == flipped ? 0.5 : 1.0; });
  }
  static constexpr bool is_identity() { return false; }
  static constexpr bool is_stream_ordered() { return true; }
  static constexpr std::int64_t traffic_bytes() { return 0; }
};

using GmresOfDoubles = GmresSolves<double>;

TEST_F(GmresOfDoubles, FlexiblyWithAPreconditionerThatChanges) {
  for (const int restart : {40, 6}) {
    Kokkos::deep_copy(x, 0);
    const SolveReport report = fgmres(Exec(), dense_operator<double>(a), ChangingPreconditioner(), to_device<Space>(b),
                                      x, {.rtol = 1e-12, .restart = restart});
    EXPECT_EQ(report.status, SolveStatus::converged);
    // The recurrence's residual is the true one: no start but the first and the last. (A GPU has enqueued iterations
    // beyond the end.)
    if constexpr (!is_gpu_v<Exec>) {
      EXPECT_EQ(report.products, report.iterations + 2);
    }
    expect_solution(a, b, x, 1e-11);
  }
}

TEST_F(GmresOfDoubles, InAsManyIterationsAsTheMinimalPolynomialHasDegrees) {
  DenseMatrix<double> three = DenseMatrix<double>::Zero(n, n);
  for (int i = 0; i < n; ++i) three(i, i) = 1 + i % 3;
  const SolveReport report = gmres(Exec(), dense_operator<double>(three), IdentityPreconditioner(), to_device<Space>(b),
                                   x, {.rtol = 1e-13, .check_interval = 20});
  EXPECT_EQ(report.status, SolveStatus::converged);
  EXPECT_EQ(report.iterations, 3);
  expect_solution(three, b, x, 1e-12);
}

/// A shift: the residual stays as it is until the space is whole.
TEST_F(GmresOfDoubles, ShiftsOnlyWithoutRestart) {
  DenseMatrix<double> shift = DenseMatrix<double>::Zero(n, n);
  for (int i = 0; i < n; ++i) shift(i, (i + 1) % n) = 1;
  std::vector<double> unit(n);
  unit[3] = 1;
  const auto solve = [&](const GmresOptions& options) {
    Kokkos::deep_copy(x, 0);
    return gmres(Exec(), dense_operator<double>(shift), IdentityPreconditioner(), to_device<Space>(unit), x, options);
  };
  const SolveReport whole = solve({.restart = n});
  EXPECT_EQ(whole.status, SolveStatus::converged);
  EXPECT_EQ(whole.iterations, n);
  EXPECT_NEAR(whole.residual_history[n - 1], 1, 1e-12);
  EXPECT_EQ(solve({.stagnation_window = 60, .restart = n - 1}).status, SolveStatus::stagnation);
}

TEST_F(GmresOfDoubles, SingularSystemsAsFarAsTheyHaveASolution) {
  DenseMatrix<double> singular = DenseMatrix<double>::Identity(n, n);
  singular(5, 5) = 0;
  singular(0, 1) = 1;
  const auto solve = [&](const std::vector<double>& right) {
    Kokkos::deep_copy(x, 0);
    return gmres(Exec(), dense_operator<double>(singular), IdentityPreconditioner(), to_device<Space>(right), x,
                 {.max_iterations = 300});
  };
  std::vector<double> right = b;
  right[5] = 0;
  EXPECT_EQ(solve(right).status, SolveStatus::converged);
  const SolveReport report = solve(b);
  EXPECT_NE(report.status, SolveStatus::converged);
  EXPECT_NEAR(report.relative_residual, std::abs(b[5]) / to_exact(b).norm(), 1e-6) << "the least there is";
  EXPECT_EQ(report.iterations, 3);
}

TEST_F(GmresOfDoubles, UntilTheMonitorStopsThemWithinACycle) {
  for (const bool has_preconditioner : {false, true}) {
    Kokkos::deep_copy(x, 0);
    const auto stop = [](int iterations, double) {
      return iterations >= 16 ? MonitorAction::stop : MonitorAction::proceed;
    };
    const GmresOptions options{.rtol = 1e-15, .check_interval = 1, .monitor = stop, .restart = 7};
    const auto a = dense_operator<double>(this->a);
    const auto right = to_device<Space>(b);
    const SolveReport report =
        has_preconditioner
            ? gmres(Exec(), a, DensePreconditioner<double>(this->a.inverse() + 0.03 * random_dense<double>(n, 5)),
                    right, x, options)
            : gmres(Exec(), a, IdentityPreconditioner(), right, x, options);
    EXPECT_EQ(report.status, SolveStatus::interrupted);
    EXPECT_EQ(report.iterations, 16);
    EXPECT_NEAR(report.relative_residual, report.residual_history.back(), 1e-13);
    EXPECT_LT(report.relative_residual, 0.1);
  }
}

TEST_F(GmresOfDoubles, TheSameHoweverOftenTheHostLooks) {
  const auto a = dense_operator<double>(this->a);
  const auto right = to_device<Space>(b);
  const SolveReport plain =
      gmres(Exec(), a, IdentityPreconditioner(), right, x, {.rtol = 1e-12, .launch = Launch::one_by_one, .restart = 5});
  const auto expected = to_host(x);
  for (const int interval : {1, 3, 50}) {
    Kokkos::deep_copy(x, 0);
    const SolveReport report =
        gmres(Exec(), a, IdentityPreconditioner(), right, x, {.rtol = 1e-12, .check_interval = interval, .restart = 5});
    EXPECT_EQ(report.residual_history, plain.residual_history);
    EXPECT_EQ(to_host(x), expected);
  }
}

/// Many shares, and rows that fill no tile: on a host with several threads.
TEST(GmresOfLongVectors, IsRightAndTheSameTwice) {
  const int n = 100003;
  std::vector<double> entries(n);
  for (int i = 0; i < n; ++i) entries[i] = (i % 3 == 0 ? -1 : 1) * (1 + i % 7);
  const auto matrix = diagonal(entries);
  const BcsrOperator<BcsrMatrix<double>> a(Exec(), matrix);
  const auto b = random_vector<double>(n, 4);
  const Kokkos::View<double*, Space> x("test::x", n), y("test::y", n);
  const auto right = to_device<Space>(b);
  const GmresOptions options{.rtol = 1e-11, .restart = 9};
  const SolveReport report = gmres(Exec(), a, IdentityPreconditioner(), right, x, options);
  EXPECT_EQ(report.status, SolveStatus::converged);
  EXPECT_GT(report.iterations, 12);
  const auto solution = to_host(x);
  for (int i = 0; i < n; ++i) ASSERT_NEAR(solution[i], b[i] / entries[i], 1e-8);
  gmres(Exec(), a, IdentityPreconditioner(), right, y, options);
  EXPECT_EQ(to_host(y), solution);
}

TEST_F(GmresOfDoubles, NothingTheyCannot) {
  const auto a = dense_operator<double>(this->a);
  const auto right = to_device<Space>(b);
  for (const int restart : {0, 1001}) {
    EXPECT_THAT(
        message_of<ArgumentError>([&] { gmres(Exec(), a, IdentityPreconditioner(), right, x, {.restart = restart}); }),
        HasSubstr(text("gmres: restart ", restart)));
  }
  EXPECT_THAT(message_of<ArgumentError>([&] {
                gmres(Exec(), a, DensePreconditioner<double>(this->a), right, x, {.norm = ResidualNorm::natural});
              }),
              HasSubstr("gmres: the natural norm"));
  std::vector<double> bad = b;
  bad[7] = std::nan("");
  EXPECT_EQ(gmres(Exec(), a, IdentityPreconditioner(), to_device<Space>(bad), x).status, SolveStatus::non_finite);
  DenseMatrix<double> infinite = this->a;
  infinite(3, 4) = std::numeric_limits<double>::infinity();
  const SolveReport report = gmres(Exec(), dense_operator<double>(infinite), IdentityPreconditioner(), right, x);
  EXPECT_EQ(report.status, SolveStatus::non_finite);
}

}  // namespace
}  // namespace ashlar::testing
