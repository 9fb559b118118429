#include <gtest/gtest.h>

#include <ashlar/base/error.hpp>
#include <ashlar/trace/parallel_efficiency.hpp>
#include <vector>

namespace ashlar::trace {
namespace {

TEST(ParallelEfficiency, IsSerialTimeOverThatOfAllRanks) {
  // Two ranks of 6 and 4 s alone, 6.5 and 5.5 s beside each other, in a run of 8 s; 9 s by one.
  const std::vector<double> alone{6, 4}, busy{6.5, 5.5};
  const ParallelEfficiency e = parallel_efficiency(9, alone, busy, 8);
  EXPECT_DOUBLE_EQ(e.granularity, 0.9);
  EXPECT_DOUBLE_EQ(e.tasks, 10.0 / 12);
  EXPECT_DOUBLE_EQ(e.pipeline, 12.0 / 16);
  EXPECT_DOUBLE_EQ(e.total(), 9.0 / 16);
}

TEST(ParallelEfficiency, OfOneRankIsOne) {
  const std::vector<double> seconds{3};
  EXPECT_DOUBLE_EQ(parallel_efficiency(3, seconds, seconds, 3).total(), 1);
}

TEST(ParallelEfficiency, RefusesWhatHasNoRatio) {
  const std::vector<double> none, one{1}, two{1, 1}, zero{0};
  EXPECT_THROW(parallel_efficiency(1, none, none, 1), ArgumentError);
  EXPECT_THROW(parallel_efficiency(1, one, two, 1), ArgumentError);
  EXPECT_THROW(parallel_efficiency(1, zero, one, 1), ArgumentError);
  EXPECT_THROW(parallel_efficiency(1, one, zero, 1), ArgumentError);
  EXPECT_THROW(parallel_efficiency(0, one, one, 1), ArgumentError);
  EXPECT_THROW(parallel_efficiency(1, one, one, 0), ArgumentError);
}

}  // namespace
}  // namespace ashlar::trace
