// How much each of several unlike ranks gets, on machines made up for the purpose.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <ashlar/base/error.hpp>
#include <ashlar/distributed/rank_speed.hpp>
#include <ashlar/halo/row_partition.hpp>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

namespace ashlar::testing {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

std::vector<double> parts_of(double weight, const RankShares& shares) {
  std::vector<double> parts;
  for (const double share : shares.shares) parts.push_back(share * weight);
  return parts;
}

TEST(RankSpeed, SharesFollowSpeeds) {
  const std::vector<RankSpeed> speeds{{6e9, 0}, {3e9, 0}, {1e9, 0}};
  const RankShares shares = share_by_speed(1e8, speeds);
  EXPECT_THAT(shares.shares, ElementsAre(DoubleNear(0.6, 1e-12), DoubleNear(0.3, 1e-12), DoubleNear(0.1, 1e-12)));
  EXPECT_NEAR(shares.seconds, 1e-2, 1e-12);
}

TEST(RankSpeed, WhoeverHasAPartTakesAsLongAsTheOthers) {
  const std::vector<RankSpeed> speeds{{300e9, 20e-6}, {10e9, 50e-6}, {12e9, 0}};
  const double weight = 100e6;
  const RankShares shares = share_by_speed(weight, speeds);
  EXPECT_NEAR(std::accumulate(shares.shares.begin(), shares.shares.end(), 0.0), 1, 1e-12);
  const std::vector<double> parts = parts_of(weight, shares);
  for (std::size_t rank = 0; rank < speeds.size(); ++rank) {
    EXPECT_NEAR(parts[rank] / speeds[rank].weight_per_second + speeds[rank].seconds_besides, shares.seconds, 1e-12);
  }
  EXPECT_NEAR(seconds_of_parts(parts, speeds), shares.seconds, 1e-12);
}

TEST(RankSpeed, ARankThatCostsMoreThanItDoesHasNothing) {
  // The second needs as long for its messages as the first for all.
  const std::vector<RankSpeed> slow{{100e9, 0}, {10e9, 1e-3}};
  const RankShares alone = share_by_speed(100e6, slow);
  EXPECT_THAT(alone.shares, ElementsAre(1, 0));
  EXPECT_DOUBLE_EQ(alone.seconds, 1e-3);
  // Of ten times as much it has a part.
  EXPECT_GT(share_by_speed(1000e6, slow).shares[1], 0);
  // The messages of both: sharing would have the first take longer than all of it alone.
  const std::vector<RankSpeed> both{{100e9, 200e-6}, {10e9, 200e-6}};
  EXPECT_THAT(share_by_speed(100e6, both).shares, ElementsAre(1, 0));
  EXPECT_GT(share_by_speed(1000e6, both).shares[1], 0);
  // Two share, and the third, which is not the last, has nothing.
  const std::vector<RankSpeed> three{{100e9, 1e-6}, {1e9, 5e-3}, {100e9, 1e-6}};
  EXPECT_THAT(share_by_speed(100e6, three).shares, ElementsAre(DoubleNear(0.5, 1e-12), 0, DoubleNear(0.5, 1e-12)));
  EXPECT_NEAR(share_by_speed(100e6, three).seconds, 0.5e-3 + 1e-6, 1e-12);
  // One that does nothing has nothing, even of rows that weigh nothing.
  const std::vector<RankSpeed> idle{{0, 0}, {5, 0}};
  EXPECT_THAT(share_by_speed(7, idle).shares, ElementsAre(0, 1));
  EXPECT_THAT(share_by_speed(0, idle).shares, ElementsAre(0, 1));
}

TEST(RankSpeed, HostsHaveAShareWhereTheySaveATenth) {
  const std::vector<int> on_host{0, 1};
  // A twentieth, and a fifth.
  const std::vector<RankSpeed> slow{{19e9, 0}, {1e9, 0}}, fast{{4e9, 0}, {1e9, 0}};
  EXPECT_GT(share_by_speed(1e8, slow).shares[1], 0);
  EXPECT_THAT(share_with_hosts(1e8, slow, on_host).shares, ElementsAre(1, 0));
  EXPECT_DOUBLE_EQ(share_with_hosts(1e8, slow, on_host).seconds, 1e8 / 19e9);
  EXPECT_THAT(share_with_hosts(1e8, fast, on_host).shares, ElementsAre(DoubleNear(0.8, 1e-12), DoubleNear(0.2, 1e-12)));
  // Two devices share with each other all the same; and ranks that are alike, whatever they are.
  const std::vector<RankSpeed> three{{10e9, 0}, {10e9, 0}, {1e9, 0}};
  const std::vector<int> last{0, 0, 1}, all{1, 1}, none{0, 0};
  EXPECT_THAT(share_with_hosts(1e8, three, last).shares,
              ElementsAre(DoubleNear(0.5, 1e-12), DoubleNear(0.5, 1e-12), 0));
  EXPECT_EQ(share_with_hosts(1e8, slow, all).shares, share_by_speed(1e8, slow).shares);
  EXPECT_EQ(share_with_hosts(1e8, slow, none).shares, share_by_speed(1e8, slow).shares);
  // Where devices do nothing, hosts do all.
  const std::vector<RankSpeed> idle{{0, 0}, {1e9, 0}};
  EXPECT_THAT(share_with_hosts(1e8, idle, on_host).shares, ElementsAre(0, 1));
  EXPECT_THROW(share_with_hosts(1e8, slow, last), ArgumentError);
}

/// No other parts are faster.
TEST(RankSpeed, NothingIsFaster) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int machine = 0; machine < 200; ++machine) {
    std::vector<RankSpeed> speeds;
    for (int rank = 0; rank < 3; ++rank) speeds.push_back({1 + 20 * uniform(random), 2 * uniform(random)});
    const double weight = 100 * uniform(random) + 1;
    const RankShares shares = share_by_speed(weight, speeds);
    EXPECT_NEAR(seconds_of_parts(parts_of(weight, shares), speeds), shares.seconds, 1e-9);
    constexpr int steps = 20;
    for (int i = 0; i <= steps; ++i) {
      for (int j = 0; i + j <= steps; ++j) {
        const std::array<double, 3> parts{weight * i / steps, weight * j / steps, weight * (steps - i - j) / steps};
        // (Two of three ranks that share one system and leave the third out are reached by the search, too.)
        EXPECT_GE(seconds_of_parts(parts, speeds), shares.seconds * (1 - 1e-9)) << machine;
      }
    }
  }
}

/// Iterations of a made-up machine: each rank is busy with its part and with what it does besides, and waits for the
/// slowest, in the halo and in sums, and for messages to come.
struct Machine {
  std::vector<RankSpeed> truth;
  double latency = 0;

  struct Times {
    double seconds = 0;
    std::vector<double> idle;
  };
  Times iteration(const std::vector<double>& parts) const {
    Times times;
    std::vector<double> busy;
    for (std::size_t rank = 0; rank < parts.size(); ++rank) {
      busy.push_back(parts[rank] / truth[rank].weight_per_second + truth[rank].seconds_besides);
      times.seconds = std::max(times.seconds, busy.back() + latency);
    }
    for (const double its : busy) times.idle.push_back(times.seconds - its);
    return times;
  }
  /// Parts by what an iteration with these told.
  std::vector<double> refined(const std::vector<double>& parts, const std::vector<double>& besides) const {
    const Times times = iteration(parts);
    std::vector<RankSpeed> speeds;
    for (std::size_t rank = 0; rank < parts.size(); ++rank) {
      speeds.push_back(speed_by_busy_time(parts[rank], times.seconds - times.idle[rank], besides[rank]));
    }
    const double weight = std::accumulate(parts.begin(), parts.end(), 0.0);
    return parts_of(weight, share_by_speed(weight, speeds));
  }
};

/// What a GPU and 27 cores of its host showed with half of the rows each: 141 us, of which 60 are for messages and
/// launches, and 1797.
const Machine gpu_and_host{{{141e9, 60e-6}, {6.4e9, 10e-6}}, 30e-6};
const std::vector<double> halves{11.4e6, 11.4e6};

/// What its ranks do besides.
const std::vector<double> besides_them{60e-6, 10e-6};

TEST(RankSpeed, BusyTimesTellTrueSpeedsAtOnce) {
  // Of ten times as many rows, which are worth sharing.
  const std::vector<double> parts = gpu_and_host.refined({114e6, 114e6}, besides_them);
  const double best = share_by_speed(228e6, gpu_and_host.truth).seconds;
  EXPECT_GT(parts[1], 0);
  EXPECT_NEAR(gpu_and_host.iteration(parts).seconds, best + gpu_and_host.latency, 1e-9);
  for (const double idle : gpu_and_host.iteration(parts).idle) EXPECT_NEAR(idle, gpu_and_host.latency, 1e-9);
}

/// Where nobody has measured what ranks do besides, it counts as work with their part.
TEST(RankSpeed, TwoRefinementsDoWithoutTheCostsBesides) {
  std::vector<double> parts = halves;
  for (int refined = 0; refined < 2; ++refined) parts = gpu_and_host.refined(parts, {0, 0});
  const Machine::Times times = gpu_and_host.iteration(parts);
  for (const double idle : times.idle) EXPECT_LT(idle - gpu_and_host.latency, 0.02 * times.seconds);
}

/// What messages cost the GPU in an iteration is more than the host saves it.
TEST(RankSpeed, BusyTimesLeaveOutWhoCostsMoreThanItDoes) {
  const std::vector<double> parts = gpu_and_host.refined(halves, besides_them);
  EXPECT_EQ(parts[1], 0);
  EXPECT_GT(parts[0], 0);
}

TEST(RankSpeed, OfAShortTimeHalfIsWork) {
  EXPECT_DOUBLE_EQ(speed_by_busy_time(100, 10, 2).weight_per_second, 100.0 / 8);
  EXPECT_DOUBLE_EQ(speed_by_busy_time(100, 10, 9).weight_per_second, 100.0 / 5);
  EXPECT_DOUBLE_EQ(speed_by_busy_time(100, 10, 9).seconds_besides, 9);
  EXPECT_EQ(speed_by_busy_time(0, 10).weight_per_second, 0);
  EXPECT_EQ(speed_by_busy_time(100, 0).weight_per_second, 0);
  EXPECT_THROW(speed_by_busy_time(100, -1e-9), ArgumentError);
  EXPECT_THROW(speed_by_busy_time(std::numeric_limits<double>::quiet_NaN(), 1), ArgumentError);
}

TEST(RankSpeed, CutsRowsThroughThePartition) {
  std::vector<std::int64_t> row_ptr(1001);
  for (std::size_t i = 0; i < row_ptr.size(); ++i) row_ptr[i] = 7 * std::int64_t(i);
  const std::vector<RankSpeed> speeds{{900, 0}, {100, 0}};
  const auto partition = RowPartition::by_shares(row_ptr, share_by_speed(7000, speeds).shares);
  EXPECT_EQ(partition.size(0), 900);
  EXPECT_EQ(partition.size(1), 100);
}

TEST(RankSpeed, IterationsThatAreLeft) {
  // A tenth every ten iterations: from 1e-2 to 1e-8 sixty more.
  std::vector<double> residuals;
  for (int k = 0; k <= 20; ++k) residuals.push_back(std::pow(10, -0.1 * k));
  EXPECT_NEAR(double(iterations_left(residuals, 1e-8, 10000)), 60, 1);
  EXPECT_EQ(iterations_left(residuals, 1e-8, 25), 25);
  EXPECT_EQ(iterations_left(residuals, 0.05, 10000), 0);
  EXPECT_EQ(iterations_left(std::vector<double>{1, 2, 3, 4}, 1e-8, 10000), 3);
  EXPECT_EQ(iterations_left(std::vector<double>{1, 2, 3, 4}, 1e-8, 2), 2);
  EXPECT_EQ(iterations_left(residuals, 0, 10000), 20);
  EXPECT_EQ(iterations_left(std::vector<double>{1}, 1e-8, 10), 0);
}

TEST(RankSpeed, NamesWhatIsWrong) {
  const auto refuses = [](double weight, const std::vector<RankSpeed>& speeds, const char* part) {
    try {
      share_by_speed(weight, speeds);
      ADD_FAILURE() << part;
    } catch (const ArgumentError& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr(part));
    }
  };
  refuses(-1, {{1, 0}}, "a weight of -1");
  refuses(1, {{1, 0}, {-2, 0}}, "rank 1 does -2");
  refuses(1, {{1, std::numeric_limits<double>::quiet_NaN()}}, "rank 0");
  refuses(1, {{0, 0}, {0, 0}}, "all of speed 0");
  refuses(1, {}, "0 ranks");
  const std::vector<RankSpeed> one{{1, 0}};
  EXPECT_THROW(seconds_of_parts(std::vector<double>{1, 2}, one), ArgumentError);
  const std::vector<RankSpeed> none{{0, 0}};
  EXPECT_THROW(seconds_of_parts(std::vector<double>{1}, none), ArgumentError);
}

}  // namespace
}  // namespace ashlar::testing
