// The time of an iteration from two solves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <support/seconds_of_iteration.hpp>

namespace ashlar::perf {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string message_of(const SolveSeconds& seconds, int fewer, int more) {
  try {
    seconds_of_iteration(seconds, fewer, more);
  } catch (const ArgumentError& error) {
    return error.what();
  }
  return "";
}

TEST(SecondsOfIteration, AreTheMedianOfWhatMoreIterationsTake) {
  // (Not the difference of medians, which is 3.)
  const SolveSeconds seconds{std::vector<double>{1, 5, 2}, std::vector<double>{5, 7, 4}};
  EXPECT_DOUBLE_EQ(seconds_of_iteration(seconds, 20, 60), 2.0 / 40);
}

TEST(SecondsOfIteration, LessThanNoiseAreNone) {
  const auto is_refused = AllOf(HasSubstr("--iterations 20,60"), HasSubstr("lost in noise"), HasSubstr("--samples"));
  EXPECT_THAT(message_of({std::vector<double>{1.5}, std::vector<double>{1}}, 20, 60), is_refused);
  EXPECT_THAT(message_of({std::vector<double>{1}, std::vector<double>{1}}, 20, 60), is_refused);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(message_of({std::vector<double>{1}, std::vector<double>{nan}}, 20, 60), is_refused);
  EXPECT_EQ(message_of({std::vector<double>{1, 2, 3}, std::vector<double>{2, 1, 4}}, 20, 60), "");
}

}  // namespace
}  // namespace ashlar::perf
