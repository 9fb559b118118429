// Where the ranks' time went, and how they exchanged: also of kernels that iterate by themselves, for which a test of
// the command needs several GPUs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "solve/rank_efficiency.hpp"

namespace ashlar::testing {
namespace {

using namespace app;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

RankAccount rank_of(double busy, double waited, std::optional<double> alone) {
  RankAccount rank;
  rank.busy_seconds = busy;
  rank.waited_seconds = waited;
  rank.alone_seconds = alone;
  return rank;
}

TEST(RankEfficiency, HasAllFactorsWhereRanksWereMeasuredAlone) {
  const std::vector<RankAccount> ranks{rank_of(3, 1, 2), rank_of(2, 2, 2)};
  const RankEfficiency e = efficiency_of({.ranks = ranks, .seconds_on_one = 3.0, .is_one_given = true});
  EXPECT_DOUBLE_EQ(e.granularity.value(), 3.0 / 4);
  EXPECT_DOUBLE_EQ(e.tasks.value(), 4.0 / 5);
  EXPECT_DOUBLE_EQ(e.pipeline.value(), 5.0 / 8);
  EXPECT_DOUBLE_EQ(e.total.value(), 3.0 / 8);
  EXPECT_EQ(efficiency_line(e), "efficiency 0.375 = granularity 0.75 x tasks 0.8 x pipeline 0.625\n");
  EXPECT_TRUE(efficiency_json(e).at("missing").is_null());
}

TEST(RankEfficiency, HasThePipelineAloneWhereOneRankIsNotKnown) {
  const std::vector<RankAccount> ranks{rank_of(3, 1, {}), rank_of(2, 2, {})};
  const RankEfficiency e = efficiency_of({.ranks = ranks});
  EXPECT_DOUBLE_EQ(e.pipeline.value(), 5.0 / 8);
  EXPECT_FALSE(e.total || e.granularity || e.tasks);
  EXPECT_THAT(e.missing, HasSubstr("--efficiency FILE"));
  EXPECT_THAT(efficiency_of({.ranks = ranks, .is_one_given = true}).missing, HasSubstr("no iteration was made"));
  EXPECT_EQ(efficiency_line(e), "");
}

// To the host they are busy all the time: factors would say that nobody waits.
TEST(RankEfficiency, OfKernelsThatIterateIsTheTotalAlone) {
  const std::vector<RankAccount> ranks{rank_of(4, 0, {}), rank_of(4, 0, {})};
  const RankEfficiency e =
      efficiency_of({.ranks = ranks, .seconds_on_one = 6.0, .is_one_given = true, .iterates_in_kernels = true});
  EXPECT_DOUBLE_EQ(e.total.value(), 6.0 / 8);
  EXPECT_FALSE(e.granularity || e.tasks || e.pipeline);
  const auto json = efficiency_json(e);
  EXPECT_DOUBLE_EQ(json.at("total").get<double>(), 6.0 / 8);
  for (const char* factor : {"granularity", "tasks", "pipeline"}) EXPECT_TRUE(json.at(factor).is_null()) << factor;
  EXPECT_THAT(json.at("missing").get<std::string>(), StartsWith("granularity, tasks and pipeline: "));
  EXPECT_THAT(efficiency_line(e), StartsWith("efficiency 0.75 (without granularity, tasks and pipeline: "));
  EXPECT_THAT(efficiency_line(e), Not(HasSubstr(" x ")));
}

TEST(RankEfficiency, OfKernelsThatIterateHasNothingWithoutOneRank) {
  const std::vector<RankAccount> ranks{rank_of(4, 0, {}), rank_of(4, 0, {})};
  const RankEfficiency e = efficiency_of({.ranks = ranks, .iterates_in_kernels = true});
  EXPECT_FALSE(e.total || e.granularity || e.tasks || e.pipeline);
  EXPECT_THAT(e.missing, StartsWith("total, counted from one rank alone"));
  EXPECT_THAT(e.missing, HasSubstr("--efficiency FILE; granularity, tasks and pipeline: "));
}

TEST(RankAccount, IdlesForAShareOfTheSolveWhereThatIsKnown) {
  RankAccount rank = rank_of(3, 1, {});
  rank.idle_seconds = 0.5;
  EXPECT_DOUBLE_EQ(rank.idle_share().value(), 0.125);
  rank.idle_seconds = std::nullopt;
  EXPECT_FALSE(rank.idle_share());
  EXPECT_EQ(rank_of(0, 0, {}).idle_share(), 0) << "of no time at all";
}

TEST(KernelIterations, ExchangeByPackets) {
  const ExchangeAccount exchange = exchange_of_kernels({"blocking", "9.5 us an exchange"});
  EXPECT_EQ(exchange.mode, "packets");
  EXPECT_THAT(exchange.why, StartsWith("one kernel of each rank iterates"));
  EXPECT_THAT(exchange.why, HasSubstr("products by themselves: blocking, 9.5 us an exchange"));
}

}  // namespace
}  // namespace ashlar::testing
