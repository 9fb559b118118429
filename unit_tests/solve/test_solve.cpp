// Solving with a caller's arrays: the choice of a solver, the solution, refusals.
#include <gmock/gmock.h>

#include <ashlar/base/error.hpp>
#include <ashlar/bcsr/from_csr.hpp>
#include <ashlar/solve/solve_matrix.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "solve/arrays.hpp"
#include "support/compare.hpp"
#include "support/message.hpp"

namespace ashlar::testing {
namespace {

using ::testing::HasSubstr;
using Exec = Kokkos::DefaultExecutionSpace;
using Space = Exec::memory_space;

/// Solves for a known x.
template <class A>
LinearSolveReport expect_solved(const A& a, const LinearSolveOptions& options = {}, double tolerance = 1e-6) {
  using Scalar = typename decltype(a.values)::value_type;
  const int n = static_cast<int>(a.row_ptr.size()) - 1;
  const auto expected = wave<Scalar>(n);
  std::vector<Scalar> x(n);
  const LinearSolveReport report = solve(a.view(), a.times(expected), x, options);
  EXPECT_EQ(report.status, SolveStatus::converged) << report.why;
  for (int i = 0; i < n; ++i) EXPECT_NEAR(x[i], expected[i], tolerance) << i;
  return report;
}

TEST(Solve, TakesTheMethodForTheMatrix) {
  const auto spd = expect_solved(line(300, -1, 2.5, 3, -1));
  EXPECT_EQ(spd.method, SolveMethod::cg);
  EXPECT_EQ(spd.preconditioner, SolvePreconditioner::block_jacobi);
  EXPECT_EQ(spd.why, "the matrix is symmetric, and amg is faster only for larger systems");

  const auto unsymmetric = expect_solved(line(300, -1.9, 2.5, 3, -0.1));
  EXPECT_EQ(unsymmetric.method, SolveMethod::gmres);
  EXPECT_EQ(unsymmetric.why, "the matrix is not symmetric, and amg is chosen with CG and MINRES alone");

  for (const int block_size : {1, 2, 3}) {
    for (const auto preconditioner : {SolvePreconditioner::automatic, SolvePreconditioner::none}) {
      SCOPED_TRACE(block_size);
      const auto indefinite =
          expect_solved(line(300, 1, 0.3, 0.4, 1), {.preconditioner = preconditioner, .block_size = block_size}, 1e-4);
      EXPECT_EQ(indefinite.method, SolveMethod::minres);
      EXPECT_THAT(indefinite.why, HasSubstr("the matrix is symmetric, but "));
      EXPECT_THAT(indefinite.why, HasSubstr("not positive definite"));
      EXPECT_EQ(indefinite.residual_history.size(), std::size_t(indefinite.iterations) + 1);
    }
  }
}

TEST(Solve, LeavesOutAPreconditionerThatDoesNotFit) {
  const auto negative = expect_solved(line(301, -1, -2.5, -3, -1), {.block_size = 1});
  EXPECT_EQ(negative.method, SolveMethod::minres);
  EXPECT_EQ(negative.preconditioner, SolvePreconditioner::none);

  const auto zero_diagonal = expect_solved(line(40, 1, 0, 3, 1), {.block_size = 1}, 1e-4);
  EXPECT_EQ(zero_diagonal.preconditioner, SolvePreconditioner::none);
  EXPECT_THAT(zero_diagonal.why, HasSubstr("no preconditioner: "));
}

/// Springs along a bar and across it: two unknowns a node, and with coordinates three modes.
TEST(Solve, AlgebraicMultigrid) {
  const auto bar = line(1200, -1, 2.5, 2.1, -1);
  const auto jacobi = expect_solved(bar, {.method = SolveMethod::cg, .block_size = 2});
  const LinearSolveOptions amg{.method = SolveMethod::cg, .preconditioner = SolvePreconditioner::amg, .block_size = 2};
  const auto constants = expect_solved(bar, amg);
  EXPECT_EQ(constants.preconditioner, SolvePreconditioner::amg);
  EXPECT_LT(constants.iterations, jacobi.iterations);
  std::vector<double> xy(1200, 0.5);
  for (int i = 0; i < 600; ++i) xy[2 * i] = i;
  LinearSolveOptions with_coordinates = amg;
  with_coordinates.coordinates = xy;
  with_coordinates.dimensions = 2;
  expect_solved(bar, with_coordinates);
  with_coordinates.dimensions = 3;
  std::vector<double> x(1200);
  EXPECT_THAT(message_of<ShapeError>([&] { solve(bar.view(), x, x, with_coordinates); }),
              HasSubstr("1200 coordinates in 3 dimensions"));
}

TEST(Solve, TakesTheMethodAskedFor) {
  const auto spd = line(300, -1, 2.5, 3, -1);
  for (const SolveMethod method : {SolveMethod::cg, SolveMethod::minres, SolveMethod::gmres, SolveMethod::bicgstab}) {
    for (const SolvePreconditioner preconditioner :
         {SolvePreconditioner::none, SolvePreconditioner::jacobi, SolvePreconditioner::block_jacobi}) {
      const auto report = expect_solved(spd, {.method = method, .preconditioner = preconditioner, .block_size = 3});
      EXPECT_EQ(report.method, method);
      EXPECT_EQ(report.preconditioner, preconditioner);
      EXPECT_EQ(report.block_size, 3);
    }
  }
}

TEST(Solve, TakesIndicesAndValuesOfTheseTypes) {
  expect_solved(line<std::int64_t, std::int32_t>(200, -1, 2.5, 3, -1));
  expect_solved(line<std::int64_t, std::int64_t>(200, -1, 2.5, 3, -1));
  expect_solved(line<std::int32_t, std::int32_t, float>(200, -1, 2.5, 3, -1), {.rtol = 1e-5}, 1e-3);
  expect_solved(line<std::int64_t, std::int32_t, float>(200, -1.9, 2.5, 3, -0.1), {.rtol = 1e-5}, 1e-3);
  expect_solved(line<std::int64_t, std::int64_t, float>(200, -1, 2.5, 3, -1), {.rtol = 1e-5}, 1e-3);
}

TEST(Solve, AddsEntriesOfOnePlaceInAnyOrder) {
  auto a = line(100, -1, 2.5, 3, -1);
  Arrays<std::int32_t, std::int32_t, double> tangled;
  for (int i = 0; i < 100; ++i) {
    for (int k = a.row_ptr[i + 1] - 1; k >= a.row_ptr[i]; --k) {
      for (const double part : {0.25, 0.75}) {
        tangled.col_idx.push_back(a.col_idx[k]);
        tangled.values.push_back(part * a.values[k]);
      }
    }
    tangled.row_ptr.push_back(static_cast<int>(tangled.values.size()));
  }
  EXPECT_EQ(expect_solved(tangled).iterations, expect_solved(a).iterations);
}

TEST(Solve, BeginsWithX) {
  const auto a = line(200, -1, 2.5, 3, -1);
  const auto expected = wave(200);
  std::vector<double> x = expected;
  EXPECT_EQ(solve(a.view(), a.times(expected), x).iterations, 0);
  EXPECT_EQ(x, expected);
}

TEST(Solve, StopsWhereItIsAsked) {
  const auto a = line(200, -1, 2.5, 3, -1);
  std::vector<double> x(200);
  const auto b = a.times(wave(200));
  EXPECT_EQ(solve(a.view(), b, x, {.atol = 1e9}).iterations, 0);
  for (const SolveMethod method :
       {SolveMethod::automatic, SolveMethod::minres, SolveMethod::gmres, SolveMethod::bicgstab}) {
    std::fill(x.begin(), x.end(), 0.0);
    const auto report = solve(a.view(), b, x, {.method = method, .rtol = 0, .max_iterations = 3});
    EXPECT_EQ(report.status, SolveStatus::iteration_limit);
    EXPECT_EQ(report.iterations, 3);
  }
}

TEST(Solve, OfAMatrixOnTheDevice) {
  const Exec exec;
  const auto a = line(120, -1.9, 2.5, 3, -0.1);
  const CsrMatrix<double> csr{120, 120, {a.row_ptr.begin(), a.row_ptr.end()}, a.col_idx, a.values};
  const auto matrix = bcsr_from_csr<BcsrMatrix<double>>(exec, csr, 4);
  const auto expected = wave(120);
  const auto b = to_device<Space>(a.times(expected));
  const Kokkos::View<double*> x("x", 120);
  const LinearSolveReport report = solve(exec, matrix, b, x);
  EXPECT_EQ(report.status, SolveStatus::converged);
  EXPECT_EQ(report.method, SolveMethod::gmres);
  EXPECT_EQ(report.block_size, 4);
  const auto found = to_host(x);
  for (int i = 0; i < 120; ++i) EXPECT_NEAR(found[i], expected[i], 1e-6);
}

/// The message of the exception.
template <class Fault, class A>
std::string refusal(const A& a, std::vector<double> b, std::vector<double> x, const LinearSolveOptions& options = {}) {
  const std::vector<double> before = x;
  try {
    solve(a.view(), b, x, options);
  } catch (const Fault& error) {
    EXPECT_EQ(x, before);
    return error.what();
  }
  ADD_FAILURE() << "nothing is thrown";
  return "";
}

TEST(Solve, RefusesArraysThatAreNoMatrix) {
  const std::vector<double> two(2), three(3);
  const Arrays<int, int, double> good{{0, 1, 2}, {0, 1}, {1, 1}};
  EXPECT_THAT(refusal<ShapeError>(good, three, two), HasSubstr("b has 3 entries and x has 2"));
  EXPECT_THAT(refusal<ShapeError>(good, two, three), HasSubstr("the matrix has 2 rows"));
  EXPECT_THAT(refusal<ShapeError>(Arrays<int, int, double>{{}, {}, {}}, {}, {}), HasSubstr("row_ptr is empty"));
  EXPECT_THAT(refusal<ShapeError>(Arrays<int, int, double>{{0, 1, 2}, {0}, {1, 1}}, two, two),
              HasSubstr("1 column indices and 2 values"));
  EXPECT_THAT(refusal<StructureError>(Arrays<int, int, double>{{0, 1, 3}, {0, 1}, {1, 1}}, two, two),
              HasSubstr("row_ptr goes from 0 to 3"));
  EXPECT_THAT(refusal<StructureError>(Arrays<int, int, double>{{1, 2, 3}, {1, 2}, {1, 1}}, two, two),
              HasSubstr("row pointers that count from 0"));
  EXPECT_THAT(refusal<StructureError>(Arrays<int, int, double>{{0, 3, 2}, {0, 1}, {1, 1}}, two, two),
              HasSubstr("row_ptr falls from 3 to 2 in row 1"));
  EXPECT_THAT(refusal<StructureError>(Arrays<int, int, double>{{0, 1, 2}, {1, 2}, {1, 1}}, two, two),
              HasSubstr("as in Fortran"));
  EXPECT_THAT(refusal<StructureError>(Arrays<int, int, double>{{0, 1, 2}, {0, -1}, {1, 1}}, two, two),
              HasSubstr("row 1 has an entry in column -1"));
}

TEST(Solve, RefusesAMethodForOtherMatrices) {
  const auto a = line(10, -1.9, 2.5, 3, -0.1);
  const std::vector<double> b(10, 1.0), x(10);
  for (const SolveMethod method : {SolveMethod::cg, SolveMethod::minres}) {
    const std::string told = refusal<NumericalError>(a, b, x, {.method = method});
    EXPECT_THAT(told, HasSubstr("the matrix is not symmetric: entries (0, 1) and (1, 0) differ by "));
    EXPECT_THAT(told, HasSubstr("SolveMethod::automatic"));
  }
  EXPECT_THAT(refusal<ArgumentError>(a, b, x, {.restart = 0}), HasSubstr("restart 0"));
  EXPECT_THAT(refusal<BlockSizeError>(a, b, x, {.block_size = 3}), HasSubstr("3"));
  EXPECT_THAT(refusal<ArgumentError>(a, b, x, {.block_size = -1}), HasSubstr("block_size -1"));
}

TEST(Solve, RefusesEntriesThatAreNotFinite) {
  auto a = line(10, -1, 2.5, 3, -1);
  a.values[4] = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> b(10, 1.0), x(10);
  for (const SolveMethod method : {SolveMethod::automatic, SolveMethod::cg}) {
    EXPECT_THAT(refusal<NumericalError>(a, b, x, {.method = method}), HasSubstr("entry (1, 2) of the matrix is nan"));
  }
}

TEST(Solve, TakesSpansAndNoRows) {
  const std::vector<int> row_ptr{0, 1, 2}, col_idx{0, 1};
  const std::vector<double> values{2, 4}, b{2, 8};
  std::vector<double> x(2);
  const CsrView view{std::span(row_ptr), std::span(col_idx), std::span(values)};
  EXPECT_EQ(solve(view, b, x).status, SolveStatus::converged);
  EXPECT_NEAR(x[0], 1, 1e-8);
  EXPECT_NEAR(x[1], 2, 1e-8);
  std::vector<double> none;
  EXPECT_EQ(solve(Arrays<int, int, double>{}.view(), none, none).status, SolveStatus::converged);
}

}  // namespace
}  // namespace ashlar::testing
