// What multigrid does beside computing: on which instance, when it waits, what it allocates.
#include <algorithm>
#include <ashlar/multigrid/benchmark_problem.hpp>
#include <ashlar/multigrid/box_grid.hpp>
#include <ashlar/multigrid/multigrid.hpp>
#include <ashlar/multigrid/smoother.hpp>
#include <ashlar/multigrid/transfer.hpp>
#include <cstddef>
#include <cstdint>

#include "instrumentation/expect.hpp"
#include "support/thread_ranks.hpp"

namespace ashlar::testing {
namespace {

using namespace ashlar::multigrid;

class MultigridConduct : public ::testing::Test {
 protected:
  const Exec exec = other_instance();
  Multigrid<Exec> multigrid{exec, make_hierarchy(2, 4, 2), {.discretisation = Discretisation::fv4}};
  const Level<Exec>& level = multigrid.level(0);

  MultigridConduct() {
    set_benchmark_problem(exec, level);
    multigrid.set_up(exec);
  }
};

TEST_F(MultigridConduct, OperatorsAndSmoothersAreEnqueued) {
  expect_enqueued(exec, [&] { apply(exec, level, level.u, level.temp); });
  expect_enqueued(exec, [&] { residual(exec, level, level.u, level.f, level.temp); });
  for (const Smoother smoother : {Smoother::gsrb, Smoother::chebyshev, Smoother::jacobi}) {
    expect_enqueued(exec, [&] { smooth(exec, level, smoother, level.u, level.f); });
  }
  expect_enqueued(exec, [&] { combine(exec, level, 1, level.u, 2, level.f, level.temp); });
  expect_enqueued(exec, [&] { multiply(exec, level, level.u, level.f, level.temp); });
  expect_enqueued(exec, [&] { set_benchmark_problem(exec, level); });
}

TEST_F(MultigridConduct, TransfersAndGhostCellsAreEnqueued) {
  const Level<Exec>& coarse = multigrid.level(1);
  expect_enqueued(exec, [&] { level.fill_for_interpolation(exec, level.u, BoundaryOrder::quartic); });
  expect_enqueued(exec, [&] { multigrid.transfer(0).restrict_cells(exec, level.u, coarse.u); });
  expect_enqueued(exec, [&] { multigrid.transfer(0).restrict_faces(exec, 2, level.beta[2], coarse.beta[2]); });
  for (const auto order : {InterpolationOrder::quadratic, InterpolationOrder::quartic}) {
    expect_enqueued(exec, [&] { multigrid.transfer(0).interpolate(exec, order, true, coarse.u, level.u); });
  }
}

TEST_F(MultigridConduct, SetUpWaitsForItsInstance) {
  expect_kept(exec, Promise::waits, [&] { multigrid.set_up(exec); });
  expect_kept(exec, Promise::waits, [&] {
    const Multigrid<Exec> another(exec, make_hierarchy(1, 4, 1), {.discretisation = Discretisation::fv2});
  });
}

/// How often the host waited for a norm.
std::size_t num_norms(const Watcher& watcher) {
  const auto seen = labels(watcher.seen(), Happening::Kind::fence);
  return std::size_t(std::count(seen.begin(), seen.end(), "ashlar::multigrid::max_norm: result"));
}

/// The host needs a norm for each cycle, and that of f: nothing else.
TEST_F(MultigridConduct, ACycleWaitsForNormsOnly) {
  multigrid.solve(exec, Cycle::f);  // scratch memory of the instance
  exec.fence();
  const Watcher watcher;
  const CycleReport report = multigrid.solve(exec, Cycle::f);
  EXPECT_THAT(faults(watcher.seen(), exec, Promise::waits), ::testing::IsEmpty());
  EXPECT_THAT(allocations(watcher), ::testing::IsEmpty());
  for (const std::string& fence : labels(watcher.seen(), Happening::Kind::fence)) {
    EXPECT_THAT(fence,
                ::testing::AnyOf("ashlar::multigrid::max_norm: result", ::testing::HasSubstr("parallel_reduce")));
  }
  EXPECT_EQ(num_norms(watcher), 2U);
  EXPECT_GT(report.bottom_iterations, 0);
}

TEST_F(MultigridConduct, AVCycleIsEnqueued) {
  for (const LevelCycle kind : {LevelCycle::v, LevelCycle::symmetric_v}) {
    expect_enqueued(exec, [&] { multigrid.run_cycle(exec, 0, kind); });
  }
}

/// However many levels and sweeps there are.
TEST(MultigridOfSmallLevelsConduct, AnFCycleIsOneLaunch) {
  const Exec exec = other_instance();
  Multigrid<Exec> multigrid(exec, make_hierarchy(2, 4, 2),
                            {.discretisation = Discretisation::fv4, .one_kernel_cells = 512});
  set_benchmark_problem(exec, multigrid.level(0));
  multigrid.set_up(exec);
  multigrid.solve(exec, Cycle::f);
  exec.fence();
  const Watcher watcher;
  multigrid.solve(exec, Cycle::f);
  EXPECT_THAT(allocations(watcher), ::testing::IsEmpty());
  const auto launched = kernels(watcher);
  EXPECT_EQ(std::count(launched.begin(), launched.end(), "ashlar::multigrid::one_kernel"), 1);
  // Besides, f and its norm; ghost cells, the residual and its norm.
  EXPECT_LE(launched.size(), 8U) << ::testing::PrintToString(launched);
  EXPECT_EQ(num_norms(watcher), 2U);
}

/// Between the parts on the device and on the host there is one wait for each restriction to the latter: that of f, and
/// one in each V-cycle.
TEST(MultigridOfHostLevelsConduct, ACycleWaitsOnceForEachRestriction) {
  const Exec exec = other_instance();
  Multigrid<Exec> multigrid(exec, make_hierarchy(2, 8, 2),
                            {.discretisation = Discretisation::fv4, .host_threshold = 100});
  set_benchmark_problem(exec, multigrid.level(0));
  multigrid.set_up(exec);
  multigrid.solve(exec, Cycle::f);
  exec.fence();
  const Watcher watcher;
  multigrid.solve(exec, Cycle::f);
  EXPECT_THAT(allocations(watcher), ::testing::IsEmpty());
  int restrictions = 0;
  for (const std::string& fence : labels(watcher.seen(), Happening::Kind::fence)) {
    restrictions += int(fence == "ashlar::multigrid: what goes to the host");
    EXPECT_THAT(
        fence, ::testing::AnyOf("ashlar::multigrid::max_norm: result", "ashlar::multigrid: what goes to the host",
                                "ashlar::multigrid: what goes to the device", ::testing::HasSubstr("parallel_reduce")));
  }
  EXPECT_EQ(restrictions, 3) << "two levels are on the device";
}

/// Nor launches anything.
TEST(MultigridOfRanksConduct, WhoHasNoBoxOfALevelWaitsForNothingThere) {
  for (const std::int64_t one_kernel_cells : {0, 512}) {
    run_ranks(2, [&](Communicator& comm) {
      const Exec exec = rank_instance<Exec>();
      // 16^3 cells on two ranks, 8^3 on one.
      const auto grids = make_hierarchy(2, 8, 2, 2, comm.rank(), {.min_cells_per_rank = 1 << 20});
      Multigrid<Exec> multigrid(exec, grids, {.one_kernel_cells = one_kernel_cells}, comm);
      set_benchmark_problem(exec, multigrid.level(0));
      multigrid.set_up(exec);
      multigrid.solve(exec, Cycle::f);
      exec.fence();
      comm.barrier();
      if (comm.rank() == 1) {
        const Watcher watcher;
        for (int repeat = 0; repeat < 3; ++repeat) multigrid.run_cycle(exec, 1);
        EXPECT_THAT(kernels(watcher), ::testing::IsEmpty());
        for (const auto kind : {Happening::Kind::fence, Happening::Kind::copy}) {
          EXPECT_THAT(labels(watcher.seen(), kind), ::testing::IsEmpty());
        }
      }
      comm.barrier();
    });
  }
}

}  // namespace
}  // namespace ashlar::testing
