// When CG adds a step to x: the residuals are the same to the bit, x is the same to rounding, and whole at each end.
#include <gtest/gtest.h>

#include <cmath>

#include "krylov/systems.hpp"

namespace ashlar::testing {
namespace {

constexpr CgXUpdate all[] = {CgXUpdate::automatic, CgXUpdate::with_direction, CgXUpdate::under_reduction,
                             CgXUpdate::before_reduction};

template <class S>
class CgXUpdateTest : public ::testing::Test {};
using Scalars = ::testing::Types<float, double, Kokkos::complex<double>>;
TYPED_TEST_SUITE(CgXUpdateTest, Scalars);

TYPED_TEST(CgXUpdateTest, ChangesNoResidual) {
  using S = TypeParam;
  const Exec exec;
  const auto a = block_diagonal<S>(150, 2, [](int i, int r, int c) { return S(r == c ? 3 + i % 17 : 1); });
  const BcsrOperator<BcsrMatrix<S>> op(exec, a);
  const JacobiPreconditioner<BcsrMatrix<S>> m(exec, a);
  const auto b = random_vector<S>(300, 1);
  const double eps = std::is_same_v<real_t<S>, float> ? 1e-6 : 1e-14;
  // Ended by convergence, and by the limit.
  for (const int limit : {1000, 1, 3}) {
    std::vector<double> history;
    std::vector<S> first;
    for (const CgXUpdate update : all) {
      const auto x = to_device<Space>(std::vector<S>(300));
      const SolveReport report =
          cg(exec, op, m, to_device<Space>(b), x,
             {.rtol = 10 * eps, .max_iterations = limit, .launch = CgLaunch::one_by_one, .x_update = update});
      EXPECT_EQ(report.status, limit == 1000 ? SolveStatus::converged : SolveStatus::iteration_limit);
      EXPECT_NEAR(report.relative_residual, report.residual_history.back(), 20 * eps);
      if (history.empty()) history = report.residual_history, first = to_host(x);
      EXPECT_EQ(report.residual_history, history);
      EXPECT_LE(max_difference(to_host(x), first), 20 * eps);
    }
  }
}

// Where the recurrence ends by a fault, x stays the last good one.
TEST(CgXUpdateTest, LeavesXWhereThereIsNoStep) {
  const Exec exec;
  const auto a = diagonal<double>({1, -2, 3});
  for (const CgXUpdate update : all) {
    const auto x = to_device<Space>(std::vector<double>{0, 0.5, 0});
    const auto report = cg(exec, BcsrOperator<BcsrMatrix<double>>(exec, a), IdentityPreconditioner(),
                           to_device<Space>(std::vector<double>{0, 1, 0}), x, {.x_update = update});
    EXPECT_EQ(report.status, SolveStatus::indefinite_matrix);
    EXPECT_EQ(to_host(x), std::vector<double>({0, 0.5, 0}));
  }
}

// However far the host runs ahead of the end.
TEST(CgXUpdateTest, DoesNotDependOnHowOftenTheHostLooks) {
  const Exec exec;
  const int n = 200;
  const BcsrOperator<BcsrMatrix<double>> a(exec, laplacian_1d(n));
  const auto b = to_device<Space>(random_vector<double>(n, 1));
  for (const CgXUpdate update : all) {
    std::vector<double> first;
    for (const int interval : {1, 7, 500}) {
      const auto x = to_device<Space>(std::vector<double>(n));
      const auto report =
          cg(exec, a, IdentityPreconditioner(), b, x, {.rtol = 1e-6, .check_interval = interval, .x_update = update});
      EXPECT_EQ(report.status, SolveStatus::converged);
      if (first.empty()) first = to_host(x);
      EXPECT_EQ(to_host(x), first);
    }
  }
}

TEST(CgXUpdateTest, ByItselfTakesAVectorMoreAndNoPersistentKernel) {
  const Exec exec;
  const int n = 200;
  const BcsrOperator<BcsrMatrix<double>> a(exec, laplacian_1d(n));
  const auto b = to_device<Space>(random_vector<double>(n, 1));
  const auto moved = [&](CgXUpdate update) {
    const auto x = to_device<Space>(std::vector<double>(n));
    const auto report =
        cg(exec, a, IdentityPreconditioner(), b, x, {.rtol = 0, .max_iterations = 10, .x_update = update});
    EXPECT_EQ(report.iterations, 10);
    return report.bytes_moved;
  };
  EXPECT_EQ(moved(CgXUpdate::automatic), moved(CgXUpdate::with_direction));
  EXPECT_EQ(moved(CgXUpdate::under_reduction), moved(CgXUpdate::with_direction) + 10 * n * 8);
  const auto x = to_device<Space>(std::vector<double>(n));
  EXPECT_THROW(cg(exec, a, IdentityPreconditioner(), b, x,
                  {.launch = CgLaunch::persistent, .x_update = CgXUpdate::under_reduction}),
               ArgumentError);
}

}  // namespace
}  // namespace ashlar::testing
