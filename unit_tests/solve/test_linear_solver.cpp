// A solver that keeps the matrix: many solves, new values, refusals.
#include <gmock/gmock.h>

#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/bcsr/from_csr.hpp>
#include <ashlar/solve/linear_solver.hpp>
#include <ashlar/solve/solve_matrix.hpp>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "solve/arrays.hpp"
#include "support/compare.hpp"
#include "support/message.hpp"

namespace ashlar::testing {
namespace {

using ::testing::HasSubstr;
using Csr = Arrays<std::int32_t, std::int32_t, double>;

/// The next solve from 0 is the one of a solver that was made for these values.
template <class A>
LinearSolveReport expect_as_new(LinearSolver<double>& solver, const A& a, const LinearSolveOptions& options = {}) {
  const int n = static_cast<int>(a.row_ptr.size()) - 1;
  const auto b = a.times(wave(n));
  std::vector<double> x(n), expected(n);
  const LinearSolveReport report = solver.solve(b, x), of_new = solve(a.view(), b, expected, options);
  EXPECT_EQ(report.status, SolveStatus::converged) << report.why;
  EXPECT_EQ(report.method, of_new.method);
  EXPECT_EQ(report.preconditioner, of_new.preconditioner);
  EXPECT_EQ(report.why, of_new.why);
  EXPECT_EQ(report.block_size, of_new.block_size);
  EXPECT_EQ(report.iterations, of_new.iterations);
  EXPECT_LE(max_difference(x, expected), 1e-12);
  return report;
}

TEST(LinearSolver, SolvesForManyRightHandSides) {
  const auto a = line(300, -1, 2.5, 3, -1);
  auto gone = std::make_optional(a);
  LinearSolver solver(gone->view());
  gone.reset();
  EXPECT_EQ(expect_as_new(solver, a).method, SolveMethod::cg);
  std::vector<double> x(300);
  auto expected = wave(300);
  for (double& entry : expected) entry *= -3;
  EXPECT_EQ(solver.solve(a.times(expected), x).status, SolveStatus::converged);
  EXPECT_LE(max_difference(x, expected), 1e-6);
  EXPECT_EQ(solver.solve(a.times(x), x).iterations, 0);
  LinearSolver moved = std::move(solver);
  expect_as_new(moved, a);
}

/// Without an iteration, by each method.
TEST(LinearSolver, SeesThatASystemIsSolvedAlready) {
  const auto a = line(300, -1, 2.5, 3, -1);
  const std::vector<double> zero(300), right = wave(300), b = a.times(right);
  for (const auto method :
       {SolveMethod::automatic, SolveMethod::cg, SolveMethod::minres, SolveMethod::gmres, SolveMethod::bicgstab}) {
    SCOPED_TRACE(std::string(to_string(method)));
    const LinearSolveOptions options{.method = method};
    LinearSolver solver(a.view(), options);
    std::vector<double> x = right, y(300, 5.0), z = right;
    for (const auto& report : {solver.solve(b, x), solver.solve(zero, y), solve(a.view(), b, z, options)}) {
      EXPECT_EQ(report.status, SolveStatus::converged);
      EXPECT_EQ(report.iterations, 0);
      EXPECT_LE(report.relative_residual, 1e-15);
    }
    EXPECT_EQ(x, right);
    EXPECT_EQ(y, zero);
    EXPECT_EQ(z, right);
  }
}

TEST(LinearSolver, TakesNewValuesWithEachPreconditioner) {
  const auto before = line(1200, -1, 2.5, 2.1, -1), after = line(1200, -2, 4.1, 4.3, -2);
  for (const auto preconditioner :
       {SolvePreconditioner::automatic, SolvePreconditioner::none, SolvePreconditioner::jacobi,
        SolvePreconditioner::block_jacobi, SolvePreconditioner::amg}) {
    for (const int block_size : {1, 2, 3}) {
      SCOPED_TRACE(std::string(to_string(preconditioner)) + ", " + std::to_string(block_size));
      const LinearSolveOptions options{.preconditioner = preconditioner, .block_size = block_size};
      LinearSolver solver(before.view(), options);
      expect_as_new(solver, before, options);
      solver.update_values(after.values);
      expect_as_new(solver, after, options);
      solver.update_values(before.values);
      expect_as_new(solver, before, options);
    }
  }
}

TEST(LinearSolver, TakesNewValuesInTheOrderOfTheArrays) {
  // Each row backwards, and each entry in two parts.
  const auto tangled = [](const Csr& a) {
    Csr result;
    for (std::size_t i = 0; i + 1 < a.row_ptr.size(); ++i) {
      for (int k = a.row_ptr[i + 1] - 1; k >= a.row_ptr[i]; --k) {
        for (const double part : {0.25, 0.75}) {
          result.col_idx.push_back(a.col_idx[k]);
          result.values.push_back(part * a.values[k]);
        }
      }
      result.row_ptr.push_back(static_cast<int>(result.values.size()));
    }
    return result;
  };
  const auto before = line(120, -1.9, 2.5, 3, -0.1), after = line(120, -0.3, 2.5, 3.5, -1.2);
  for (const int block_size : {1, 4}) {
    const LinearSolveOptions options{.block_size = block_size};
    LinearSolver solver(tangled(before).view(), options);
    solver.update_values(tangled(after).values);
    expect_as_new(solver, after, options);
  }
}

TEST(LinearSolver, ChoosesAgainForNewValues) {
  const auto symmetric = line(40, -1, 2.5, 3, -1), unsymmetric = line(40, -1.9, 2.5, 3, -0.1),
             indefinite = line(40, 1, 0.3, 0.4, 1), no_diagonal = line(40, 1, 0, 3, 1);
  const LinearSolveOptions options{.block_size = 1};
  LinearSolver solver(symmetric.view(), options);
  const auto chosen = [&](const Csr& a) {
    solver.update_values(a.values);
    return expect_as_new(solver, a, options);
  };
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(chosen(unsymmetric).method, SolveMethod::gmres);
    EXPECT_EQ(chosen(indefinite).method, SolveMethod::minres);
    EXPECT_EQ(chosen(symmetric).method, SolveMethod::cg);
    EXPECT_EQ(chosen(no_diagonal).preconditioner, SolvePreconditioner::none);
    EXPECT_EQ(chosen(symmetric).preconditioner, SolvePreconditioner::block_jacobi);
  }
}

TEST(LinearSolver, BeginsWithMinresOnceCgHasFoundTheMatrixIndefinite) {
  const auto a = line(300, 1, 0.3, 0.4, 1);
  const auto b = a.times(wave(300));
  LinearSolver solver(a.view(), {.block_size = 1});
  std::vector<double> x(300);
  const auto first = solver.solve(b, x);
  EXPECT_EQ(first.method, SolveMethod::minres);
  std::fill(x.begin(), x.end(), 0.0);
  const auto second = solver.solve(b, x);
  std::vector<double> y(300);
  const auto by_minres = solve(a.view(), b, y, {.method = SolveMethod::minres, .block_size = 1});
  EXPECT_EQ(second.why, first.why);
  EXPECT_EQ(second.method, SolveMethod::minres);
  EXPECT_EQ(second.residual_history, by_minres.residual_history);
  EXPECT_EQ(x, y);
}

TEST(LinearSolver, LeavesOutAPreconditionerThatDoesNotFitEachTime) {
  const auto a = line(301, -1, -2.5, -3, -1);
  const auto b = a.times(wave(301));
  LinearSolver solver(a.view(), {.block_size = 1});
  for (int round = 0; round < 2; ++round) {
    std::vector<double> x(301);
    const auto report = solver.solve(b, x);
    EXPECT_EQ(report.status, SolveStatus::converged);
    EXPECT_EQ(report.preconditioner, SolvePreconditioner::none);
    EXPECT_THAT(report.why, HasSubstr("left out"));
    EXPECT_LE(max_difference(x, wave(301)), 1e-6);
  }
}

TEST(LinearSolver, RefusesNewValuesThatDoNotFit) {
  const auto a = line(200, -1, 2.5, 3, -1);
  LinearSolver solver(a.view());
  auto values = a.values;
  values.pop_back();
  EXPECT_THAT(message_of<ShapeError>([&] { solver.update_values(values); }), HasSubstr("597 new values"));
  expect_as_new(solver, a);
  const std::vector<double> short_b(199);
  std::vector<double> x(200, 7.0);
  EXPECT_THAT(message_of<ShapeError>([&] { solver.solve(short_b, x); }), HasSubstr("b has 199 entries and x has 200"));
}

TEST(LinearSolver, SolvesAgainAfterValuesThatWereNoNumbers) {
  const auto a = line(1200, -1, 2.5, 2.1, -1);
  auto bad = a.values;
  bad[3] = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> xy(1200, 0.5);
  for (int i = 0; i < 600; ++i) xy[2 * i] = i;
  // GMRES does not look at the entries: the preconditioner finds this one.
  for (const auto method : {SolveMethod::automatic, SolveMethod::gmres}) {
    for (const auto preconditioner : {SolvePreconditioner::block_jacobi, SolvePreconditioner::amg}) {
      SCOPED_TRACE(to_string(preconditioner));
      auto coordinates = std::make_optional(xy);
      LinearSolveOptions options{.method = method, .preconditioner = preconditioner, .block_size = 2};
      options.coordinates = *coordinates;
      options.dimensions = 2;
      LinearSolver solver(a.view(), options);
      coordinates.reset();
      options.coordinates = xy;
      EXPECT_THROW(solver.update_values(bad), NumericalError);
      std::vector<double> x(1200, 7.0);
      EXPECT_THAT(message_of<Error>([&] { solver.solve(x, x); }), HasSubstr("call it with valid ones"));
      EXPECT_EQ(x, std::vector<double>(1200, 7.0));
      solver.update_values(a.values);
      expect_as_new(solver, a, options);
    }
  }
}

TEST(BcsrSolver, SolvesWithNewValuesOfTheMatrix) {
  using Exec = Kokkos::DefaultExecutionSpace;
  const Exec exec;
  const auto before = line(120, -1, 2.5, 3, -1), after = line(120, -1.9, 2.5, 3, -0.1);
  const auto matrix_of = [&](const Csr& a) {
    return bcsr_from_csr<BcsrMatrix<double>>(
        exec, CsrMatrix<double>{120, 120, {a.row_ptr.begin(), a.row_ptr.end()}, a.col_idx, a.values}, 4);
  };
  const auto matrix = matrix_of(before);
  BcsrSolver solver(exec, matrix);
  const auto solved = [&](const Csr& a) {
    const Kokkos::View<double**, Kokkos::LayoutLeft> x("x", 120, 2);
    const auto column = Kokkos::subview(x, Kokkos::ALL, 1);
    const auto report = solver.solve(to_device<Exec::memory_space>(a.times(wave(120))), column);
    EXPECT_EQ(report.status, SolveStatus::converged);
    EXPECT_EQ(report.block_size, 4);
    const Kokkos::View<double*> result("result", 120);
    Kokkos::deep_copy(result, column);
    EXPECT_LE(max_difference(to_host(result), wave(120)), 1e-6);
    return report.method;
  };
  EXPECT_EQ(solved(before), SolveMethod::cg);
  Kokkos::deep_copy(exec, matrix.values(), matrix_of(after).values());
  solver.values_changed();
  EXPECT_EQ(solved(after), SolveMethod::gmres);
}

}  // namespace
}  // namespace ashlar::testing
