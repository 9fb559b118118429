// The mode that is taken where none is asked for: measured, the same on all ranks, and told.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "halo/exchange_cases.hpp"
#include "support/mpi_world.hpp"

namespace ashlar::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

Needs chain() { return chain_needs(RowPartition::even(8 * world().size(), world().size())); }

std::string other_than(const std::string& mode) { return mode == "kernel" ? "blocking" : "kernel"; }

class AutomaticMode : public ::testing::Test {
 protected:
  void SetUp() override {
    if (is_gpu_v<Exec>) GTEST_SKIP() << "what GPUs can do depends on the machine";
  }
};

TEST_F(AutomaticMode, IsTheFastestAndSaysWhatWasMeasured) {
  if (world().size() < 2) GTEST_SKIP() << "one rank alone";
  const Side side(world(), chain());
  const std::string mode(to_string(side.exchange.mode())), why = side.exchange.why_mode();
  ASSERT_THAT(why, MatchesRegex("[0-9.e+]+ us an exchange; " + other_than(mode) +
                                " takes [0-9.e+]+ us; stream: rank 0 has no transport for streams"));
  const std::string takes = " takes ";
  EXPECT_LE(std::stod(why), std::stod(why.substr(why.find(takes) + takes.size())));
  EXPECT_THAT(side.exchange.explain(), HasSubstr("in mode " + mode + " (" + why + ")"));
}

TEST_F(AutomaticMode, IsTheSameOnAllRanksEachTime) {
  for (int round = 0; round < 20; ++round) {
    // Ranks send messages of very different lengths, and some none: each measures other times.
    const Needs needs =
        random_needs(RowPartition::even(50 * world().size(), world().size()), 0.3, 30U + unsigned(round));
    const Side side(world(), needs, HaloForm::automatic, 1 + round % 3);
    const std::string mine(to_string(side.exchange.mode()));
    for (const std::string& of_rank : world().all_gather(mine + side.exchange.why_mode())) {
      EXPECT_EQ(of_rank, mine + side.exchange.why_mode());
    }
  }
}

TEST_F(AutomaticMode, CountsNoExchangeThatMeasured) {
  if (world().size() < 2) GTEST_SKIP() << "one rank alone";
  Side side(world(), chain());
  EXPECT_EQ(side.exchange.figures().exchanges, 0);
  EXPECT_EQ(side.exchange.figures().sent.messages, 0);
  EXPECT_EQ(side.exchange.figures().received.bytes, 0);
  EXPECT_EQ(side.exchange.num_in_flight(), 0);
  const auto neighbours = std::int64_t(side.exchange.plan().to().size());
  for (int round = 1; round <= 5; ++round) {
    side.begin(round);
    side.exchange.end(side.exec);
    EXPECT_EQ(side.num_wrong(round), 0);
    EXPECT_EQ(side.exchange.figures().exchanges, round);
    EXPECT_EQ(side.exchange.figures().sent.messages, round * neighbours);
    EXPECT_EQ(side.exchange.figures().received.bytes, round * side.exchange.bytes_received());
  }
}

TEST_F(AutomaticMode, MeasuresNothingWhereNothingIsSentOrBuffersAreAskedFor) {
  const RowPartition partition = RowPartition::even(4 * world().size(), world().size());
  const Exec exec = own_instance();
  const HaloExchange<double, Exec> none(exec, world(), HaloPlan(world(), partition, Numbers{}), 1);
  EXPECT_EQ(none.mode(), ExchangeMode::blocking);
  EXPECT_EQ(none.why_mode(), "nothing is sent, and so not measured");
  const Side staged(world(), chain(), HaloForm::automatic, 1, HaloBuffers::staged);
  EXPECT_EQ(staged.exchange.mode(), ExchangeMode::blocking);
  EXPECT_THAT(staged.exchange.why_mode(), Not(HasSubstr(" us")));
}

}  // namespace
}  // namespace ashlar::testing
