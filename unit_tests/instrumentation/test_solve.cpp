#include <algorithm>
#include <ashlar/solve/linear_solver.hpp>
#include <ashlar/solve/solve_matrix.hpp>
#include <cstdint>
#include <vector>

#include "instrumentation/expect.hpp"

namespace ashlar::testing {
namespace {

TEST(SolverConduct, OfAMatrixOnTheDevice) {
  const Exec exec = other_instance();
  const Matrix matrix = problems::stencil11<Matrix>(exec, 6, 5, 4, 3);
  const std::int64_t n = matrix.num_rows();
  const Vector b = test_vector("b", n), other = test_vector("other", n, -2), x = test_vector("x", n, 0);
  for (const auto method : {SolveMethod::automatic, SolveMethod::minres, SolveMethod::gmres, SolveMethod::bicgstab}) {
    SCOPED_TRACE(to_string(method));
    BcsrSolver<double> solver(exec, matrix, {.method = method});
    bool is_other = false;
    const auto solve = [&] {
      is_other = !is_other;
      EXPECT_GT(solver.solve(is_other ? other : b, x).iterations, 0);
    };
    expect_enqueued(exec, solve, Promise::waits);
    expect_kept(exec, Promise::waits, [&] { solver.values_changed(); });
    expect_enqueued(exec, solve, Promise::waits);
  }
}

TEST(SolverConduct, OfArrays) {
  std::vector<int> row_ptr{0}, col_idx;
  std::vector<double> values, b(300, 1.0), x(300, 0.0);
  for (int i = 0; i < 300; ++i) {
    for (int j = i - 1; j <= i + 1; ++j) {
      if (j < 0 || j >= 300) continue;
      col_idx.push_back(j);
      values.push_back(i == j ? 2.5 : -1.0);
    }
    row_ptr.push_back(int(values.size()));
  }
  LinearSolver solver(CsrView(row_ptr, col_idx, values));
  solver.solve(b, x);
  std::fill(x.begin(), x.end(), 0.0);
  const Watcher watcher;
  solver.solve(b, x);
  EXPECT_THAT(allocations(watcher), ::testing::IsEmpty());
  EXPECT_THAT(kernels(watcher), ::testing::Not(::testing::IsEmpty()));
}

}  // namespace
}  // namespace ashlar::testing
