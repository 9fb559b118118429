// The preconditioner that solve() chooses, the reasons in the report, and what happens to the choice with new values.
#include <gmock/gmock.h>

#include <array>
#include <ashlar/amg/near_null_space.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/problems/cantilever.hpp>
#include <ashlar/solve/linear_solver.hpp>
#include <ashlar/solve/solve_matrix.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "solve/arrays.hpp"
#include "support/compare.hpp"
#include "support/message.hpp"

namespace ashlar::testing {
namespace {

using ::testing::HasSubstr;
using Exec = Kokkos::DefaultExecutionSpace;
using Space = Exec::memory_space;
using Kind = SolvePreconditioner;

constexpr bool is_on_gpu = is_gpu_v<Exec>;

/// An elastic beam that is large enough for amg, on a GPU too.
class LargeBeam : public ::testing::Test {
 protected:
  static problems::Cantilever problem() {
    problems::Cantilever problem;
    problem.nodes = is_on_gpu ? std::array{171, 41, 41} : std::array{81, 20, 20};
    return problem;
  }

  LinearSolveReport solve_with(const LinearSolveOptions& options) {
    Kokkos::deep_copy(x_, 0.0);
    return solve(exec_, a_, load_, x_, options);
  }

  const Exec exec_;
  const BcsrMatrix<double> a_ = problems::cantilever_matrix<BcsrMatrix<double>>(exec_, problem());
  const Kokkos::View<double*> load_ = problems::cantilever_load<double, Space>(exec_, problem()),
                              x_{"x", load_.extent(0)};
  const std::vector<double> points_ = problems::hex_points(problems::cantilever_grid(problem()));
};

TEST_F(LargeBeam, TakesAmgWithCoordinates) {
  BcsrSolver solver(exec_, a_, {.coordinates = points_});
  const auto with_amg = solver.solve(load_, x_);
  EXPECT_EQ(with_amg.status, SolveStatus::converged);
  EXPECT_EQ(with_amg.method, SolveMethod::cg);
  EXPECT_EQ(with_amg.preconditioner, Kind::amg);
  EXPECT_THAT(with_amg.why, HasSubstr("the matrix is symmetric, and block-jacobi takes about "));
  EXPECT_THAT(with_amg.why, HasSubstr(" iterations, and amg the time of "));
  EXPECT_LE(with_amg.iterations, 40);
  const auto longer = solve_with({.preconditioner = Kind::block_jacobi, .max_iterations = 4 * with_amg.iterations});
  EXPECT_EQ(longer.status, SolveStatus::iteration_limit);

  Kokkos::deep_copy(exec_, x_, 0.0);
  solver.values_changed();
  const auto again = solver.solve(load_, x_);
  EXPECT_EQ(again.preconditioner, Kind::amg);
  EXPECT_EQ(again.why, with_amg.why);
  EXPECT_EQ(again.iterations, with_amg.iterations);
}

TEST_F(LargeBeam, TakesAmgWithANearNullSpace) {
  const auto modes = amg::rigid_body_modes<Space>(exec_, to_device<Space>(points_), 3, 3);
  const auto here = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), modes);
  std::vector<double> one_after_another;
  for (std::size_t j = 0; j < here.extent(1); ++j) {
    for (std::size_t i = 0; i < here.extent(0); ++i) one_after_another.push_back(here(i, j));
  }
  const auto with_modes = solve_with({.near_null_space = one_after_another});
  const auto with_coordinates = solve_with({.coordinates = points_});
  EXPECT_EQ(with_modes.preconditioner, Kind::amg);
  EXPECT_EQ(with_modes.why, with_coordinates.why);
  EXPECT_EQ(with_modes.iterations, with_coordinates.iterations);
  one_after_another[here.extent(0) / 2] = 1e3;  // it is read
  EXPECT_NE(solve_with({.near_null_space = one_after_another}).residual_history, with_modes.residual_history);
}

TEST_F(LargeBeam, TakesBlockJacobiWithoutEvidence) {
  const auto of_one_iteration = [&](LinearSolveOptions options) {
    options.max_iterations = 1;
    const auto report = solve_with(options);
    EXPECT_EQ(report.preconditioner, Kind::block_jacobi);
    return report.why;
  };
  EXPECT_EQ(of_one_iteration({}),
            "the matrix is symmetric, and amg needs rows of diffusion, or coordinates or modes of elasticity");
  EXPECT_EQ(of_one_iteration({.method = SolveMethod::gmres, .coordinates = points_}),
            "amg is chosen with CG and MINRES alone");
  EXPECT_EQ(of_one_iteration({.preconditioner = Kind::block_jacobi, .coordinates = points_}),
            "the matrix is symmetric");
}

TEST(SolvePreconditioner, IsBlockJacobiForASmallLaplacianWithANearNullSpace) {
  const Exec exec;
  problems::Cantilever problem;
  problem.nodes = {33, 31, 31};
  problem.dof = 1;
  const auto a = problems::cantilever_matrix<BcsrMatrix<double>>(exec, problem);
  const auto load = problems::cantilever_load<double, Space>(exec, problem);
  const Kokkos::View<double*> x("x", load.extent(0));
  const std::vector<double> ones(load.extent(0), 1.0);
  const auto report = solve(exec, a, load, x, {.near_null_space = ones});
  EXPECT_EQ(report.status, SolveStatus::converged);
  EXPECT_EQ(report.preconditioner, Kind::block_jacobi);
  EXPECT_THAT(report.why, HasSubstr("amg is faster only for larger systems"));
}

/// Springs along a bar and across it, with coordinates in the plane.
template <class Scalar>
struct Bar {
  int nodes = is_on_gpu ? 500000 : 26000;
  Arrays<std::int32_t, std::int32_t, Scalar> a = line<std::int32_t, std::int32_t, Scalar>(2 * nodes, -1, 2.5, 2.1, -1);
  std::vector<double> xy = std::vector<double>(std::size_t(2 * nodes), 0.5);

  Bar() {
    for (int i = 0; i < nodes; ++i) xy[2 * i] = i;
  }
  LinearSolveOptions options() const { return {.rtol = 1e-5, .coordinates = xy, .dimensions = 2}; }
  LinearSolveReport solve_with(LinearSolver<Scalar>& solver) const {
    std::vector<Scalar> x(std::size_t(2 * nodes));
    return solver.solve(a.times(wave<Scalar>(2 * nodes)), x);
  }
};

TEST(SolvePreconditioner, StaysWithNewValuesWhileTheMatrixIsSymmetric) {
  Bar<float> bar;
  LinearSolver<float> solver(bar.a.view(), bar.options());
  const auto symmetric = bar.solve_with(solver);
  EXPECT_EQ(symmetric.status, SolveStatus::converged);
  EXPECT_EQ(symmetric.preconditioner, Kind::amg);
  EXPECT_EQ(symmetric.block_size, 2) << "as many as there are coordinates of a node";
  const auto good = bar.a.values;

  for (float& value : bar.a.values) value *= 3;
  solver.update_values(bar.a.values);
  const auto tripled = bar.solve_with(solver);
  EXPECT_EQ(tripled.preconditioner, Kind::amg);
  EXPECT_EQ(tripled.why, symmetric.why);

  for (std::size_t k = 0; k + 1 < good.size(); ++k) bar.a.values[k] = good[k] < 0 && k % 3 == 1 ? -0.2f : good[k];
  solver.update_values(bar.a.values);
  const auto unsymmetric = bar.solve_with(solver);
  EXPECT_EQ(unsymmetric.method, SolveMethod::gmres);
  EXPECT_EQ(unsymmetric.preconditioner, Kind::block_jacobi);
  EXPECT_EQ(unsymmetric.why, "the matrix is not symmetric, and amg is chosen with CG and MINRES alone");

  bar.a.values = good;
  solver.update_values(good);
  const auto symmetric_again = bar.solve_with(solver);
  EXPECT_EQ(symmetric_again.preconditioner, Kind::amg);
  EXPECT_EQ(symmetric_again.iterations, symmetric.iterations);
}

TEST(SolvePreconditioner, IsBlockJacobiIfAmgCannotBeSetUp) {
  Bar<double> bar;
  LinearSolveOptions options = bar.options();
  options.method = SolveMethod::cg;
  LinearSolver<double> solver(bar.a.view(), options);
  EXPECT_EQ(bar.solve_with(solver).preconditioner, Kind::amg);
  const auto good = bar.a.values;
  bar.a.values.back() = -2;
  solver.update_values(bar.a.values);
  const auto negative = bar.solve_with(solver);
  EXPECT_EQ(negative.preconditioner, Kind::block_jacobi);
  EXPECT_THAT(negative.why, HasSubstr("the matrix is symmetric, and amg cannot be set up: "));
  EXPECT_THAT(negative.why, HasSubstr("negative"));
  bar.a.values = good;
  solver.update_values(good);
  const auto positive = bar.solve_with(solver);
  EXPECT_EQ(positive.status, SolveStatus::converged);
  EXPECT_EQ(positive.preconditioner, Kind::amg) << "it is tried again";

  options.preconditioner = Kind::amg;
  bar.a.values.back() = -2;
  EXPECT_THROW(LinearSolver<double>(bar.a.view(), options), NumericalError);
}

/// With the blocks of a chain, ILU(0) is the exact factorisation.
TEST(SolvePreconditioner, SweepsOnCpus) {
  for (const bool is_symmetric : {true, false}) {
    const auto a = is_symmetric ? line(300, -1, 2.5, 3, -1) : line(300, -1.9, 2.5, 3, -0.1);
    const auto b = a.times(wave(300));
    for (const auto kind : {Kind::ilu0, Kind::ssor}) {
      SCOPED_TRACE(to_string(kind));
      const LinearSolveOptions options{.preconditioner = kind, .block_size = 3};
      std::vector<double> x(300);
      if (is_on_gpu) {
        EXPECT_THAT(message_of<ArgumentError>([&] { solve(a.view(), b, x, options); }), HasSubstr("CPUs alone"));
        continue;
      }
      LinearSolver solver(a.view(), options);
      const auto report = solver.solve(b, x);
      EXPECT_EQ(report.status, SolveStatus::converged);
      EXPECT_EQ(report.preconditioner, kind);
      EXPECT_LE(report.iterations, kind == Kind::ilu0 ? 2 : 30);
      EXPECT_LE(max_difference(x, wave(300)), 1e-6);
      auto doubled = a;
      for (double& value : doubled.values) value *= 2;
      solver.update_values(doubled.values);
      x.assign(300, 0.0);
      EXPECT_EQ(solver.solve(doubled.times(wave(300)), x).iterations, report.iterations);
      EXPECT_LE(max_difference(x, wave(300)), 1e-6);
    }
  }
}

TEST(SolvePreconditioner, RefusesANearNullSpaceThatDoesNotFit) {
  const auto a = line(300, -1, 2.5, 3, -1);
  std::vector<double> x(300);
  const std::vector<double> modes(600, 1.0), xy(300, 1.0), too_many(300 * 65, 1.0), odd(301, 1.0);
  for (const auto preconditioner : {Kind::automatic, Kind::amg}) {
    const auto refused = [&](LinearSolveOptions options) {
      options.preconditioner = preconditioner;
      options.block_size = 2;
      return message_of<Error>([&] { solve(a.view(), x, x, options); });
    };
    EXPECT_THAT(refused({.coordinates = xy, .dimensions = 2, .near_null_space = modes}), HasSubstr("one of the two"));
    EXPECT_THAT(refused({.near_null_space = odd}), HasSubstr("a near-null space of 301 entries"));
    EXPECT_THAT(refused({.near_null_space = too_many}), HasSubstr("1 to 64 vectors of 300 entries"));
    EXPECT_THAT(refused({.coordinates = xy, .dimensions = 3}), HasSubstr("300 coordinates in 3 dimensions"));
    EXPECT_THAT(refused({.coordinates = std::span(xy).first(150), .dimensions = 1}), HasSubstr("1 dimensions for 2"));
  }
  EXPECT_EQ(solve(a.view(), x, x, {.preconditioner = Kind::jacobi, .near_null_space = odd}).status,
            SolveStatus::converged);
}

}  // namespace
}  // namespace ashlar::testing
