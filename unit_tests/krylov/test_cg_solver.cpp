// A solver that is kept from one solve to the next gives what a solver of its own would.
#include <gmock/gmock.h>

#include <ashlar/krylov/pipelined_cg.hpp>
#include <ashlar/operators/any_operator.hpp>
#include <ashlar/problems/stencil11.hpp>
#include <stdexcept>
#include <support/message.hpp>
#include <vector>

#include "krylov/systems.hpp"

namespace ashlar::testing {
namespace {

using ::testing::HasSubstr;

using Matrix = BcsrMatrix<double>;
using Vector = Kokkos::View<double*, Space>;

struct CgSolverTest : ::testing::Test {
  const Exec exec;
  const Matrix matrix = problems::stencil11<Matrix>(exec, 7, 6, 5, 3);
  const std::int64_t n = matrix.num_rows();
  const BcsrOperator<Matrix> a{exec, matrix};
  const JacobiPreconditioner<Matrix> m{exec, matrix};

  Vector right_hand_side(int seed) const { return to_device<Space>(random_vector<double>(n, seed)); }
  Vector zeros() const { return Vector("x", n); }

  /// The solver's next solve, and one of a solver of its own.
  template <class KeptSolver, class Solve>
  void expect_same(KeptSolver& solver, const Vector& b, const Vector& x, const Solve& solve) const {
    const Vector fresh = zeros();
    Kokkos::deep_copy(x, 0);
    const SolveReport kept = solver.solve(b, x), expected = solve(b, fresh);
    EXPECT_EQ(kept.status, SolveStatus::converged);
    EXPECT_EQ(kept.iterations, expected.iterations);
    EXPECT_EQ(kept.products, expected.products);
    EXPECT_EQ(kept.residual_history, expected.residual_history);
    EXPECT_EQ(kept.launch, expected.launch);
    EXPECT_EQ(to_host(x), to_host(fresh));
  }
};

TEST_F(CgSolverTest, SolvesForOtherVectors) {
  const CgOptions options{.rtol = 1e-9};
  CgSolver solver(exec, a, m, options);
  const auto solve = [&](const auto& b, const auto& x) { return cg(exec, a, m, b, x, options); };
  const Vector x = zeros();
  for (const int seed : {1, 2, 3}) expect_same(solver, right_hand_side(seed), x, solve);
  expect_same(solver, right_hand_side(4), zeros(), solve);
}

TEST_F(CgSolverTest, SolvesWithNewValues) {
  const CgOptions options{.rtol = 1e-9};
  CgSolver solver(exec, a, m, options);
  const auto solve = [&](const auto& b, const auto& x) { return cg(exec, a, m, b, x, options); };
  const Vector b = right_hand_side(1), x = zeros();
  expect_same(solver, b, x, solve);
  const auto before = to_host(x);
  const auto values = to_host(matrix.values());
  std::vector<double> twice(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) twice[i] = 2 * values[i];
  Kokkos::deep_copy(matrix.values(), to_device<Space>(twice));
  solver.values_changed();
  expect_same(solver, b, x, solve);
  auto half = before;
  for (double& entry : half) entry /= 2;
  EXPECT_LE(max_difference(to_host(x), half), 1e-8);
}

TEST_F(CgSolverTest, TakesOptionsForASolve) {
  const IdentityPreconditioner none;
  CgSolver solver(exec, a, none, {.rtol = 1e-12});
  const Vector b = right_hand_side(1), x = zeros();
  const SolveReport rough = solver.solve(b, x, {.rtol = 1e-3});
  EXPECT_EQ(rough.status, SolveStatus::converged);
  EXPECT_GT(rough.relative_residual, 1e-6);
  EXPECT_LE(solver.solve(b, x).relative_residual, 1e-12);
  EXPECT_THROW(solver.solve(b, x, {.rtol = -1}), ArgumentError);
  EXPECT_THROW(solver.solve(b, Vector("x", n + 1)), ShapeError);
}

// Its graph, if there is one, holds b as well.
TEST_F(CgSolverTest, MayBeOfAnotherMethod) {
  const CgOptions options{.rtol = 1e-9};
  using Method = PipelinedCg<Exec, BcsrOperator<Matrix>, JacobiPreconditioner<Matrix>, double>;
  Solver<Method> solver(exec, a, m, options);
  const auto solve = [&](const auto& b, const auto& x) { return pipelined_cg(exec, a, m, b, x, options); };
  const Vector x = zeros();
  for (const int seed : {1, 2}) expect_same(solver, right_hand_side(seed), x, solve);
}

TEST_F(CgSolverTest, GoesOnAfterASolveThatThrew) {
  int left = 3;
  CgOptions options{.rtol = 1e-9, .check_interval = 2};
  options.monitor = [&](int, double) {
    if (--left == 0) throw std::runtime_error("the test has it so");
  };
  CgSolver solver(exec, a, m, options);
  const Vector b = right_hand_side(1), x = zeros();
  EXPECT_THROW(solver.solve(b, x), std::runtime_error);
  expect_same(solver, b, x, [&](const auto& of, const auto& to) { return cg(exec, a, m, of, to, options); });
}

TEST_F(CgSolverTest, RefusesAnOperatorThatIsNotSquare) {
  const BcsrOperator<Matrix> wide(exec, build_by_rows<Matrix>(exec, 1, 4, 5, Laplacian1d{5}, Laplacian1d{5}));
  EXPECT_FALSE(is_square(wide));
  EXPECT_TRUE(is_square(a));
  const AnyOperator<double, Exec> any(wide);
  EXPECT_EQ(domain_space(any).num_local(), 5);
  EXPECT_EQ(range_space(any).num_local(), 4);
  const Vector b("b", 4), x("x", 4);
  const IdentityPreconditioner none;
  EXPECT_THAT(message_of<ShapeError>([&] { cg(exec, wide, none, b, x); }), HasSubstr("cg: A maps 5 entries to 4"));
  EXPECT_THAT(message_of<ShapeError>([&] { pipelined_cg(exec, any, none, b, x); }),
              HasSubstr("a solver takes a square operator"));
}

}  // namespace
}  // namespace ashlar::testing
