// A solve that goes on from a checkpoint gives the same bits as one without a break.
#include <gtest/gtest.h>

#include <ashlar/krylov/checkpoint.hpp>
#include <ashlar/problems/cantilever.hpp>
#include <utility>

#include "krylov/forms.hpp"

namespace ashlar::testing {
namespace {

using Matrix = BcsrMatrix<double>;

TEST(CgCheckpoints, GoOnWithTheSameBits) {
  const problems::Cantilever beam{.nodes = {17, 3, 3}, .dof = 3};
  const auto a = problems::cantilever_matrix<Matrix>(Exec(), beam);
  const auto load = problems::cantilever_load<double>(Exec(), beam);
  const Exec exec;
  const BcsrOperator<Matrix> op(exec, a);
  const BlockJacobiPreconditioner<Matrix> m(exec, a);
  const auto solve = [&](const auto& with, CgOptions options) {
    const Kokkos::View<double*, Space> x("x", load.extent(0));
    const auto report = cg(exec, op, with, load, x, options);
    return SolvedBy<double>{report, to_host(x)};
  };
  const auto expect_same = [&](const auto& with, CgXUpdate update) {
    const CgOptions plain{.rtol = 1e-10, .check_interval = 8, .x_update = update};
    const auto whole = solve(with, plain);
    ASSERT_EQ(whole.report.status, SolveStatus::converged);
    CgCheckpoint saved;
    int saves = 0;
    CgOptions saving = plain;
    saving.checkpoints.is_due = [&] { return true; };
    saving.checkpoints.save = [&](const CgCheckpoint& checkpoint) {
      if (++saves == 2) saved = checkpoint;
    };
    EXPECT_EQ(solve(with, saving).x, whole.x);
    ASSERT_GE(saves, 3);
    CgOptions resuming = plain;
    resuming.checkpoints.resume = &saved;
    const auto resumed = solve(with, resuming);
    EXPECT_EQ(resumed.report.status, SolveStatus::converged);
    EXPECT_EQ(resumed.report.iterations, whole.report.iterations);
    EXPECT_EQ(resumed.report.residual_history, whole.report.residual_history);
    EXPECT_EQ(resumed.x, whole.x);
  };
  for (const CgXUpdate update : {CgXUpdate::with_direction, CgXUpdate::under_reduction}) {
    expect_same(m, update);
    expect_same(IdentityPreconditioner(), update);
  }
}

TEST(CgCheckpoints, TakeTheToleranceOfTheSolveThatResumes) {
  const Exec exec;
  const int n = 200;
  const BcsrOperator<Matrix> op(exec, laplacian_1d(n));
  const auto b = to_device<Space>(random_vector<double>(n, 1));
  const auto solve = [&](CgOptions options) {
    const Kokkos::View<double*, Space> x("x", n);
    return cg(exec, op, IdentityPreconditioner(), b, x, options);
  };
  // Saved early by a solve with one tolerance, resumed with another: as if that had been asked for at once.
  for (const auto& [before, after] : {std::pair{1e-3, 1e-10}, {1e-10, 1e-3}, {1e-6, 1e-6}}) {
    CgCheckpoint saved;
    int saves = 0;
    CgOptions saving{.rtol = before, .check_interval = 8};
    saving.checkpoints = {.is_due = [] { return true; },
                          .save =
                              [&](const CgCheckpoint& now) {
                                if (++saves == 1) saved = now;
                              }};
    solve(saving);
    ASSERT_GE(saves, 1);
    const auto resumed = solve({.rtol = after, .check_interval = 8, .checkpoints = {.resume = &saved}});
    const auto at_once = solve({.rtol = after, .check_interval = 8});
    EXPECT_EQ(resumed.status, SolveStatus::converged);
    EXPECT_LE(resumed.relative_residual, after);
    EXPECT_EQ(resumed.residual_history, at_once.residual_history) << before << ", then " << after;
  }
}

TEST(CgCheckpoints, OfAnotherSolveAreRefused) {
  const Exec exec;
  const int n = 50;
  const BcsrOperator<Matrix> op(exec, laplacian_1d(n));
  CgCheckpoint saved;
  CgOptions options{.rtol = 1e-10, .check_interval = 4};
  options.checkpoints = {.is_due = [] { return true; }, .save = [&](const CgCheckpoint& now) { saved = now; }};
  const auto b = to_device<Space>(random_vector<double>(n, 1));
  const Kokkos::View<double*, Space> x("x", n), longer("x", n + 1);
  cg(exec, op, IdentityPreconditioner(), b, x, options);
  const CgOptions resuming{.rtol = 1e-10, .checkpoints = {.resume = &saved}};
  EXPECT_THROW(pipelined_cg(exec, op, IdentityPreconditioner(), b, x, resuming), ArgumentError);
  const BcsrOperator<Matrix> other(exec, laplacian_1d(n + 1));
  const auto longer_b = to_device<Space>(random_vector<double>(n + 1, 1));
  EXPECT_THROW(cg(exec, other, IdentityPreconditioner(), longer_b, longer, resuming), ArgumentError);
  EXPECT_THROW(cg(exec, op, JacobiPreconditioner<Matrix>(exec, laplacian_1d(n)), b, x, resuming), ArgumentError);
}

}  // namespace
}  // namespace ashlar::testing
