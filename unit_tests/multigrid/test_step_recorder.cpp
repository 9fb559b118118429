// After which steps of a visit all teams meet. (CPUs have one team, and need none of it.)
#include <gmock/gmock.h>

#include <ashlar/multigrid/impl/run_step.hpp>       // nothing else shows meetings that are missing
#include <ashlar/multigrid/impl/step_recorder.hpp>  // nothing else shows them
#include <cstdint>
#include <string>
#include <vector>

namespace ashlar::testing {
namespace {

using multigrid::impl::SetZero, multigrid::impl::StepRecorder;

/// Of steps by letter: A for all teams, o for one, Z and z for those that set to zero: Z by all, z by one.
std::vector<int> meetings(const std::string& steps) {
  // What a step is made of does not matter here, but whether it needs nothing of the one before it.
  using Step = multigrid::impl::RelaxInScratch<double, multigrid::impl::OneScratchTile>;
  StepRecorder recorder(1);
  for (const char letter : steps) {
    const std::int64_t cells = letter == 'A' || letter == 'Z' ? 513 : 512;
    if (letter == 'Z' || letter == 'z') {
      recorder.add("zero", SetZero<double>{}, 1, cells);
    } else {
      recorder.add("step", Step{}, 1, cells);
    }
  }
  std::vector<int> result;
  for (const auto& step : recorder.take()) result.push_back(step.all_meet_after_it);
  return result;
}

TEST(StepRecorder, HasAllTeamsMeetWhereStepsNeedIt) {
  using ::testing::ElementsAre;
  EXPECT_THAT(meetings("AA"), ElementsAre(1, 1));
  EXPECT_THAT(meetings("ooA"), ElementsAre(0, 1, 1)) << "who is not that team waits for what it does";
  EXPECT_THAT(meetings("Aoo"), ElementsAre(1, 0, 0));
}

TEST(StepRecorder, LetsAStepBeginThatNeedsNothingOfTheOneBefore) {
  using ::testing::ElementsAre;
  EXPECT_THAT(meetings("AZA"), ElementsAre(0, 1, 1));
  EXPECT_THAT(meetings("Azo"), ElementsAre(0, 1, 0)) << "what all have done before is needed after";
  EXPECT_THAT(meetings("oZA"), ElementsAre(0, 1, 1));
  EXPECT_THAT(meetings("ooZA"), ElementsAre(0, 1, 1, 1)) << "it may need something of the first";
  EXPECT_THAT(meetings("AZZA"), ElementsAre(0, 1, 1, 1));
  EXPECT_THAT(meetings("AZ"), ElementsAre(0, 1)) << "all end together";
}

}  // namespace
}  // namespace ashlar::testing
