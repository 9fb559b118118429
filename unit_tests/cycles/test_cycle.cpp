// The steps of multigrid cycles.
#include <gmock/gmock.h>

#include <ashlar/base/error.hpp>
#include <ashlar/cycles/cycle.hpp>
#include <vector>

#include "listing_level.hpp"
#include "support/message.hpp"

namespace ashlar::cycles {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using enum Operation;

TEST(Cycle, StepsOfAVCycle) {
  EXPECT_THAT(cycle_steps(CycleKind::v, 3),
              ElementsAre(Step{smooth_zero, 0}, Step{residual, 0}, Step{restrict_residual, 0}, Step{smooth_zero, 1},
                          Step{residual, 1}, Step{restrict_residual, 1}, Step{solve, 2}, Step{prolong_add, 1},
                          Step{smooth_adjoint, 1}, Step{prolong_add, 0}, Step{smooth_adjoint, 0}));
  EXPECT_THAT(cycle_steps(CycleKind::w, 1), ElementsAre(Step{solve, 0}));
}

/// It begins with the x of its finest level, and with x = 0 on the others.
TEST(Cycle, StepsOfAVCycleThatIsNotSymmetric) {
  EXPECT_THAT(cycle_steps(CycleKind::v, 4, {.is_symmetric = false, .from_zero = false, .first_level = 1}),
              ElementsAre(Step{smooth, 1}, Step{residual, 1}, Step{restrict_residual, 1}, Step{smooth_zero, 2},
                          Step{residual, 2}, Step{restrict_residual, 2}, Step{solve_roughly, 3}, Step{prolong_add, 2},
                          Step{smooth, 2}, Step{prolong_add, 1}, Step{smooth, 1}));
}

/// The second time on a level begins with the x of the first; the coarsest level is solved once.
TEST(Cycle, StepsOfAWCycle) {
  EXPECT_THAT(cycle_steps(CycleKind::w, 3),
              ElementsAre(Step{smooth_zero, 0}, Step{residual, 0}, Step{restrict_residual, 0},                  //
                          Step{smooth_zero, 1}, Step{residual, 1}, Step{restrict_residual, 1}, Step{solve, 2},  //
                          Step{prolong_add, 1}, Step{smooth_adjoint, 1},                                        //
                          Step{smooth, 1}, Step{residual, 1}, Step{restrict_residual, 1}, Step{solve, 2},       //
                          Step{prolong_add, 1}, Step{smooth_adjoint, 1},                                        //
                          Step{prolong_add, 0}, Step{smooth_adjoint, 0}));
}

/// On each level but the coarsest a V-cycle follows from the start.
TEST(Cycle, StepsOfAnFCycle) {
  EXPECT_THAT(
      cycle_steps(CycleKind::f, 3),
      ElementsAre(Step{restrict_b, 0}, Step{restrict_b, 1}, Step{solve_roughly, 2}, Step{start, 1},             //
                  Step{smooth, 1}, Step{residual, 1}, Step{restrict_residual, 1}, Step{solve_roughly, 2},       //
                  Step{prolong_add, 1}, Step{smooth, 1}, Step{start, 0},                                        //
                  Step{smooth, 0}, Step{residual, 0}, Step{restrict_residual, 0},                               //
                  Step{smooth_zero, 1}, Step{residual, 1}, Step{restrict_residual, 1}, Step{solve_roughly, 2},  //
                  Step{prolong_add, 1}, Step{smooth, 1}, Step{prolong_add, 0}, Step{smooth, 0}));
  EXPECT_THAT(cycle_steps(CycleKind::f, 2, {.first_level = 1}), ElementsAre(Step{solve_roughly, 1}));
}

/// Each step after the coarsest level is the adjoint of the step before that mirrors it.
TEST(Cycle, IsSymmetric) {
  const auto adjoint = [](Operation operation) {
    switch (operation) {
      case smooth_zero:
      case smooth:
        return smooth_adjoint;
      case restrict_residual:
        return prolong_add;
      default:
        return operation;
    }
  };
  auto steps = cycle_steps(CycleKind::v, 6);
  std::erase_if(steps, [](const Step& step) { return step.operation == residual; });  // restriction is of residuals
  for (std::size_t k = 0; k <= steps.size() / 2; ++k) {
    EXPECT_EQ(steps[steps.size() - 1 - k], (Step{adjoint(steps[k].operation), steps[k].level})) << k;
  }
}

TEST(Cycle, SaysItsSteps) {
  EXPECT_EQ(describe(cycle_steps(CycleKind::v, 2)),
            "level 0: smooth from zero\nlevel 0: residual\nlevel 0: restrict the residual\nlevel 1: solve\n"
            "level 0: prolong and add\nlevel 0: smooth, adjoint\n");
  EXPECT_EQ(describe(cycle_steps(CycleKind::f, 2)),
            "level 0: restrict the right-hand side\nlevel 1: solve roughly\nlevel 0: start from the coarser level\n"
            "level 0: smooth\nlevel 0: residual\nlevel 0: restrict the residual\nlevel 1: solve roughly\n"
            "level 0: prolong and add\nlevel 0: smooth\n");
  EXPECT_THAT(testing::message_of<ArgumentError>([] { cycle_steps(CycleKind::v, 0); }), HasSubstr("of 0 levels"));
  EXPECT_THAT(testing::message_of<ArgumentError>([] { cycle_steps(CycleKind::v, 3, {.first_level = 3}); }),
              HasSubstr("from level 3 on"));
}

TEST(Cycle, RunsItsSteps) {
  for (const CycleKind kind : {CycleKind::v, CycleKind::w, CycleKind::f}) {
    std::vector<Step> done;
    const std::vector<Listing> levels{{0, &done}, {1, &done}, {2, &done}, {3, &done}};
    const auto steps = cycle_steps(kind, 4);
    run(Kokkos::DefaultExecutionSpace(), steps, levels);
    EXPECT_EQ(done, steps) << to_string(kind);
  }
}

/// A level without what F-cycles need.
struct Half {
  Listing listing;
  using Exec = Kokkos::DefaultExecutionSpace;
  void smooth_zero(const Exec& exec) const { listing.smooth_zero(exec); }
  void smooth(const Exec& exec) const { listing.smooth(exec); }
  void smooth_adjoint(const Exec& exec) const { listing.smooth_adjoint(exec); }
  void residual(const Exec& exec) const { listing.residual(exec); }
  void restrict_residual(const Exec& exec, const Half& next) const { listing.restrict_residual(exec, next.listing); }
  void prolong_add(const Exec& exec, const Half& next) const { listing.prolong_add(exec, next.listing); }
  void solve(const Exec& exec) const { listing.solve(exec); }
};

TEST(Cycle, RefusesStepsThatLevelsDoNotHave) {
  std::vector<Step> done;
  const std::vector<Half> levels{{{0, &done}}, {{1, &done}}};
  const Kokkos::DefaultExecutionSpace exec;
  run(exec, cycle_steps(CycleKind::v, 2), levels);
  EXPECT_EQ(done, cycle_steps(CycleKind::v, 2));
  EXPECT_THAT(testing::message_of<ArgumentError>([&] { run(exec, cycle_steps(CycleKind::f, 2), levels); }),
              HasSubstr("a step of an F-cycle"));
}

}  // namespace
}  // namespace ashlar::cycles
