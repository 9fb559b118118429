// MINRES against its definition: the least residual over a Krylov space, in the norm of the preconditioner, by Eigen.
#include <gmock/gmock.h>

#include <ashlar/base/text.hpp>
#include <ashlar/krylov/concepts.hpp>
#include <ashlar/krylov/minres.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "krylov/dense_system.hpp"

namespace ashlar::testing {
namespace {

using ::testing::HasSubstr;

/// A Hermitian matrix with this spectrum, rounded to S.
template <class S>
DenseMatrix<S> with_spectrum(const std::vector<double>& spectrum, unsigned seed) {
  const int n = static_cast<int>(spectrum.size());
  const DenseMatrix<S> q = DenseMatrix<S>(random_dense<S>(n, seed).householderQr().householderQ());
  DenseMatrix<S> lambda = DenseMatrix<S>::Zero(n, n);
  for (int i = 0; i < n; ++i) lambda(i, i) = spectrum[i];
  DenseMatrix<S> a = q * lambda * q.adjoint();
  for (int i = 0; i < n; ++i) {
    a(i, i) = to_exact(from_exact<S>(std::real(a(i, i))));
    for (int j = 0; j < i; ++j) {
      a(i, j) = to_exact(from_exact<S>(a(i, j)));
      a(j, i) = Eigen::numext::conj(a(i, j));
    }
  }
  return a;
}

template <class S>
struct MinresSolves : ::testing::Test {
  static constexpr int n = 43;
  static std::vector<double> indefinite() {
    std::vector<double> spectrum(n);
    for (int i = 0; i < n; ++i) spectrum[i] = i % 3 == 0 ? -1 - 0.02 * i : 1 + 0.03 * i;
    return spectrum;
  }
  static std::vector<double> positive() {
    std::vector<double> spectrum(n);
    for (int i = 0; i < n; ++i) spectrum[i] = 0.3 + 0.05 * i;
    return spectrum;
  }
  const DenseMatrix<S> a = with_spectrum<S>(indefinite(), 1);
  const DenseMatrix<S> m_inverse = with_spectrum<S>(positive(), 2);
  const std::vector<S> b = random_vector<S>(n, 3);
  const double eps = std::numeric_limits<real_t<S>>::epsilon();
  const Kokkos::View<S*, Space> x{"test::x", n};

  /// As long as the Lanczos vectors, which nobody orthogonalises again, are still orthogonal.
  void expect_least(const SolveReport& report, const std::vector<double>& least) const {
    ASSERT_EQ(report.residual_history.size(), least.size());
    std::size_t k = 0;
    for (; k < least.size() && least[k] > 1e3 * std::sqrt(eps) * least[0]; ++k) {
      EXPECT_NEAR(report.residual_history[k], least[k] / least[0], 0.05 * report.residual_history[k])
          << "iteration " << k;
    }
    EXPECT_GE(k, std::size_t(eps > 1e-10 ? 3 : 12));
  }
};
using Scalars = ::testing::Types<double, float, Kokkos::complex<double>, Kokkos::complex<float>>;
TYPED_TEST_SUITE(MinresSolves, Scalars);

TYPED_TEST(MinresSolves, IndefiniteSystemsWithTheLeastResidualInEachIteration) {
  using S = TypeParam;
  const double rtol = 100 * this->eps;
  const SolveReport report = minres(Exec(), dense_operator<S>(this->a), IdentityPreconditioner(),
                                    to_device<Space>(this->b), this->x, {.rtol = rtol});
  EXPECT_EQ(report.status, SolveStatus::converged);
  EXPECT_LE(report.relative_residual, rtol);
  const auto least = least_residuals<S>(this->a, to_exact(this->b), 1000, report.iterations);
  this->expect_least(report, least);
  expect_solution(this->a, this->b, this->x, 100 * rtol);
}

/// r^H M^-1 r is the least over the Krylov space of C^H A C for M^-1 = C C^H.
TYPED_TEST(MinresSolves, WithTheLeastNormOfThePreconditioner) {
  using S = TypeParam;
  const DenseMatrix<S> c = this->m_inverse.llt().matrixL();
  const DenseMatrix<S> whole = c.adjoint() * this->a * c;
  const DenseVector<S> right = c.adjoint() * to_exact(this->b);
  const SolveReport report =
      minres(Exec(), dense_operator<S>(this->a), DensePreconditioner<S>(this->m_inverse), to_device<Space>(this->b),
             this->x, {.rtol = 100 * this->eps, .norm = ResidualNorm::natural});
  EXPECT_EQ(report.status, SolveStatus::converged);
  const auto least = least_residuals<S>(whole, right, 1000, report.iterations);
  this->expect_least(report, least);
  expect_solution(this->a, this->b, this->x, 1e4 * this->eps);
}

/// The recurrence of the residual follows x, in each norm.
TYPED_TEST(MinresSolves, AndKnowsItsResidualInEachNorm) {
  using S = TypeParam;
  for (const auto norm : {ResidualNorm::unpreconditioned, ResidualNorm::preconditioned, ResidualNorm::natural}) {
    for (const int iterations : {1, 6, 7}) {
      SCOPED_TRACE(text(to_string(norm), " norm, ", iterations, " iterations"));
      Kokkos::deep_copy(this->x, S(0));
      const SolveReport report =
          minres(Exec(), dense_operator<S>(this->a), DensePreconditioner<S>(this->m_inverse), to_device<Space>(this->b),
                 this->x, {.norm = norm, .max_iterations = iterations});
      EXPECT_EQ(report.status, SolveStatus::iteration_limit);
      const auto norm_of = [&](const DenseVector<S>& r) {
        const DenseVector<S> z = this->m_inverse * r;
        return norm == ResidualNorm::natural ? std::sqrt(std::abs(r.dot(z)))
                                             : (norm == ResidualNorm::preconditioned ? z : r).norm();
      };
      const DenseVector<S> b = to_exact(this->b), r = b - this->a * exact_of<S>(this->x);
      EXPECT_NEAR(report.residual_history.back(), norm_of(r) / norm_of(b), 100 * this->eps);
    }
  }
}

using MinresOfDoubles = MinresSolves<double>;

TEST_F(MinresOfDoubles, TheSameHoweverOftenTheHostLooks) {
  const auto a = dense_operator<double>(this->a);
  const DensePreconditioner<double> m(m_inverse);
  const auto right = to_device<Space>(b);
  const SolveReport plain = minres(Exec(), a, m, right, x, {.rtol = 1e-12, .launch = Launch::one_by_one});
  const auto expected = to_host(x);
  for (const int interval : {1, 3, 50}) {
    Kokkos::deep_copy(x, 0);
    const SolveReport report = minres(Exec(), a, m, right, x, {.rtol = 1e-12, .check_interval = interval});
    EXPECT_EQ(report.residual_history, plain.residual_history);
    EXPECT_EQ(to_host(x), expected);
  }
}

TEST_F(MinresOfDoubles, SingularSystemsAsFarAsTheyHaveASolution) {
  std::vector<double> spectrum = indefinite();
  spectrum[4] = 0;
  DenseMatrix<double> singular = DenseMatrix<double>::Zero(n, n);
  for (int i = 0; i < n; ++i) singular(i, i) = spectrum[i];
  std::vector<double> right = b;
  right[4] = 0;
  const auto a = dense_operator<double>(singular);
  EXPECT_EQ(minres(Exec(), a, IdentityPreconditioner(), to_device<Space>(right), x).status, SolveStatus::converged);
  Kokkos::deep_copy(x, 0);
  right[4] = 0.5;
  const SolveReport report = minres(Exec(), a, IdentityPreconditioner(), to_device<Space>(right), x);
  EXPECT_EQ(report.status, SolveStatus::stagnation);
  EXPECT_NEAR(report.relative_residual, 0.5 / to_exact(right).norm(), 1e-3) << "the least there is";
  EXPECT_LT(report.iterations, n);
}

/// A chain without supports, and a b with a large part along its null space: x grows without bound.
TEST_F(MinresOfDoubles, NothingWorseThanTheStart) {
  constexpr int size = 50;
  DenseMatrix<double> chain = DenseMatrix<double>::Zero(size, size);
  std::vector<double> right(size);
  for (int i = 0; i < size; ++i) {
    right[i] = i + 1;
    chain(i, i) = i == 0 || i == size - 1 ? 1 : 2;
    if (i > 0) chain(i, i - 1) = chain(i - 1, i) = -1;
  }
  const Kokkos::View<double*, Space> solution("test::x", size);
  const SolveReport report = minres(Exec(), dense_operator<double>(chain), IdentityPreconditioner(),
                                    to_device<Space>(right), solution);
  EXPECT_NE(report.status, SolveStatus::converged);
  EXPECT_LE(report.relative_residual, 1);
}

/// One row is 1e12 times the others: A maps the rest of the residual to nearly nothing, and MINRES still converges.
TEST_F(MinresOfDoubles, SystemsWithAPenalty) {
  DenseMatrix<double> penalised = DenseMatrix<double>(a);
  penalised(0, 0) = 1e12;
  const SolveReport report = minres(Exec(), dense_operator<double>(penalised), IdentityPreconditioner(),
                                    to_device<Space>(b), x, {.rtol = 1e-6});
  EXPECT_EQ(report.status, SolveStatus::converged);
}

TEST_F(MinresOfDoubles, NothingTheyCannot) {
  const auto right = to_device<Space>(b);
  const auto solve = [&](const DenseMatrix<double>& matrix, const DenseMatrix<double>& m) {
    Kokkos::deep_copy(x, 0);
    return minres(Exec(), dense_operator<double>(matrix), DensePreconditioner<double>(m), right, x,
                  {.max_iterations = 500});
  };
  EXPECT_EQ(solve(a, -m_inverse).status, SolveStatus::breakdown);
  EXPECT_EQ(solve(a, a).status, SolveStatus::breakdown) << "M is indefinite";
  DenseMatrix<double> unsymmetric = a;
  for (int i = 0; i < n; ++i) unsymmetric(i, (i + 1) % n) += 3;
  const SolveReport report = solve(unsymmetric, m_inverse);
  EXPECT_NE(report.status, SolveStatus::converged);
  EXPECT_THAT(report.warning, HasSubstr("MINRES needs a symmetric matrix"));
  DenseMatrix<double> infinite = a;
  infinite(3, 4) = infinite(4, 3) = std::numeric_limits<double>::infinity();
  EXPECT_EQ(solve(infinite, m_inverse).status, SolveStatus::non_finite);
}

}  // namespace
}  // namespace ashlar::testing
