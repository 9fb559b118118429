// The steps of multigrid cycles.
#include <gmock/gmock.h>

#include <ashlar/base/error.hpp>
#include <ashlar/cycles/cycle.hpp>
#include <vector>

#include "support/message.hpp"

namespace ashlar::cycles {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using enum Operation;

TEST(Cycle, StepsOfAVCycle) {
  EXPECT_THAT(cycle_steps(CycleKind::v, 3),
              ElementsAre(Step{smooth_zero, 0}, Step{restrict_to_next, 0}, Step{smooth_zero, 1},
                          Step{restrict_to_next, 1}, Step{solve, 2}, Step{prolong_from_next, 1},
                          Step{smooth_adjoint, 1}, Step{prolong_from_next, 0}, Step{smooth_adjoint, 0}));
  EXPECT_THAT(cycle_steps(CycleKind::w, 1), ElementsAre(Step{solve, 0}));
}

/// The second time on a level begins with the x of the first; the coarsest level is solved once.
TEST(Cycle, StepsOfAWCycle) {
  EXPECT_THAT(cycle_steps(CycleKind::w, 3),
              ElementsAre(Step{smooth_zero, 0}, Step{restrict_to_next, 0},                  //
                          Step{smooth_zero, 1}, Step{restrict_to_next, 1}, Step{solve, 2},  //
                          Step{prolong_from_next, 1}, Step{smooth_adjoint, 1},              //
                          Step{smooth, 1}, Step{restrict_to_next, 1}, Step{solve, 2},       //
                          Step{prolong_from_next, 1}, Step{smooth_adjoint, 1},              //
                          Step{prolong_from_next, 0}, Step{smooth_adjoint, 0}));
}

/// Each step after the coarsest level is the adjoint of the step before that mirrors it.
TEST(Cycle, IsSymmetric) {
  const auto adjoint = [](Operation operation) {
    switch (operation) {
      case smooth_zero:
      case smooth:
        return smooth_adjoint;
      case restrict_to_next:
        return prolong_from_next;
      default:
        return operation;
    }
  };
  const auto steps = cycle_steps(CycleKind::v, 6);
  for (std::size_t k = 0; k <= steps.size() / 2; ++k) {
    EXPECT_EQ(steps[steps.size() - 1 - k], (Step{adjoint(steps[k].operation), steps[k].level})) << k;
  }
}

TEST(Cycle, SaysItsSteps) {
  EXPECT_EQ(describe(cycle_steps(CycleKind::v, 2)),
            "level 0: smooth from zero\nlevel 0: restrict the residual\nlevel 1: solve\nlevel 0: prolong\n"
            "level 0: smooth, adjoint\n");
  EXPECT_THAT(testing::message_of<ArgumentError>([] { cycle_steps(CycleKind::v, 0); }), HasSubstr("0 levels"));
}

/// A level that writes down what it is asked.
struct Listing {
  int number;
  std::vector<Step>* steps;
  void add(Operation operation) const { steps->push_back({operation, number}); }
  template <class Exec>
  void smooth_zero(const Exec&) const {
    add(Operation::smooth_zero);
  }
  template <class Exec>
  void smooth(const Exec&) const {
    add(Operation::smooth);
  }
  template <class Exec>
  void smooth_adjoint(const Exec&) const {
    add(Operation::smooth_adjoint);
  }
  template <class Exec>
  void restrict_to(const Exec&, const Listing& next) const {
    EXPECT_EQ(next.number, number + 1);
    add(Operation::restrict_to_next);
  }
  template <class Exec>
  void prolong_from(const Exec&, const Listing& next) const {
    EXPECT_EQ(next.number, number + 1);
    add(Operation::prolong_from_next);
  }
  template <class Exec>
  void solve(const Exec&) const {
    add(Operation::solve);
  }
};

TEST(Cycle, RunsItsSteps) {
  std::vector<Step> done;
  const std::vector<Listing> levels{{0, &done}, {1, &done}, {2, &done}, {3, &done}};
  const auto steps = cycle_steps(CycleKind::w, 4);
  run(Kokkos::DefaultExecutionSpace(), steps, levels);
  EXPECT_EQ(done, steps);
}

}  // namespace
}  // namespace ashlar::cycles
