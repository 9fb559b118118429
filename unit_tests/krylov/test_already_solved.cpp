// Systems that are solved at the start, b = 0 or x right: each solver converges without an iteration.
#include <gmock/gmock.h>

#include <ashlar/krylov/bicgstab.hpp>
#include <ashlar/krylov/concepts.hpp>
#include <ashlar/krylov/gmres.hpp>
#include <ashlar/krylov/iterative_refinement.hpp>
#include <ashlar/krylov/minres.hpp>
#include <ashlar/krylov/symmetric_solve.hpp>
#include <string>
#include <vector>

#include "krylov/forms.hpp"

namespace ashlar::testing {
namespace {

using Matrix = BcsrMatrix<double>;
using Operator = BcsrOperator<Matrix>;
using Vector = Kokkos::View<double*, Space>;

/// What all reports have.
struct Ended {
  SolveStatus status;
  int iterations;
  double relative_residual;
};

template <class Report>
Ended ended(const Report& report) {
  return {report.status, report.iterations, report.relative_residual};
}

enum class By { cg, single_reduction, pipelined, minres, symmetric, gmres, fgmres, bicgstab, refined };

std::string name_of(By solver) {
  const char* const names[] = {"cg",    "single_reduction", "pipelined", "minres", "symmetric",
                               "gmres", "fgmres",           "bicgstab",  "refined"};
  return names[int(solver)];
}

template <class M>
Ended solve_by(By solver, const Operator& a, const M& m, const Vector& b, const Vector& x) {
  const Exec exec;
  switch (solver) {
    case By::cg:
      return ended(cg(exec, a, m, b, x));
    case By::single_reduction:
      return ended(single_reduction_cg(exec, a, m, b, x));
    case By::pipelined:
      return ended(pipelined_cg(exec, a, m, b, x));
    case By::minres:
      return ended(minres(exec, a, m, b, x));
    case By::symmetric:
      return ended(symmetric_solve(exec, a, m, b, x).report);
    case By::gmres:
      return ended(gmres(exec, a, m, b, x));
    case By::fgmres:
      return ended(fgmres(exec, a, m, b, x));
    case By::bicgstab:
      return ended(bicgstab(exec, a, m, b, x));
    case By::refined:
      break;
  }
  return ended(refined_cg(exec, a, a, m, b, x));
}

class AlreadySolved : public ::testing::TestWithParam<By> {
 protected:
  static constexpr int n = 101;
  /// Solves from this x, with and without a preconditioner.
  void expect_solved(const std::vector<double>& b, const std::vector<double>& start,
                     const std::vector<double>& expected) const {
    const auto expect_with = [&](const auto& m) {
      const Vector x = to_device<Space>(start);
      const Ended solved = solve_by(GetParam(), a, m, to_device<Space>(b), x);
      EXPECT_EQ(solved.status, SolveStatus::converged);
      EXPECT_EQ(solved.iterations, 0);
      EXPECT_EQ(solved.relative_residual, 0);
      EXPECT_EQ(to_host(x), expected);
    };
    expect_with(IdentityPreconditioner());
    expect_with(JacobiPreconditioner<Matrix>(Exec(), matrix));
  }

  const Matrix matrix = laplacian_1d(n);
  const Operator a{Exec(), matrix};
};

TEST_P(AlreadySolved, SinceTheRightHandSideIsZero) {
  const std::vector<double> zero(n, 0.0);
  expect_solved(zero, std::vector<double>(n, 5.0), zero);
  expect_solved(zero, zero, zero);
}

TEST_P(AlreadySolved, SinceXIsRight) {
  // Whole numbers: b - A x is exactly 0.
  std::vector<double> x(n), b(n);
  for (int i = 0; i < n; ++i) x[i] = (7 * i) % 11 - 4;
  for (int i = 0; i < n; ++i) b[i] = 2 * x[i] - (i > 0 ? x[i - 1] : 0) - (i + 1 < n ? x[i + 1] : 0);
  expect_solved(b, x, x);
}

INSTANTIATE_TEST_SUITE_P(EachSolver, AlreadySolved,
                         ::testing::Values(By::cg, By::single_reduction, By::pipelined, By::minres, By::symmetric,
                                           By::gmres, By::fgmres, By::bicgstab, By::refined),
                         [](const auto& info) { return name_of(info.param); });

}  // namespace
}  // namespace ashlar::testing
