// How many threads a rank on the host takes: of the processors that it may run on, its share of what ranks leave that
// drive devices there.
#include <gtest/gtest.h>

#include <algorithm>
#include <ashlar/host/processors.hpp>
#include <vector>

#include "solve/threads.hpp"
#include "support/mpi_world.hpp"

#ifdef __linux__
#include "mpi/support/bound_threads.hpp"

namespace ashlar::testing {
namespace {

using app::processors_of_rank;
using app::ProcessorsShared;

TEST(ProcessorsShared, AreDividedAfterRanksOnDevicesHaveOneEach) {
  EXPECT_EQ((ProcessorsShared{16, 1, 1}.threads()), 15);
  EXPECT_EQ((ProcessorsShared{16, 2, 0}.threads()), 8);
  EXPECT_EQ((ProcessorsShared{16, 2, 4}.threads()), 6);
  EXPECT_EQ((ProcessorsShared{16, 3, 4}.threads()), 4);
  // One at least, where ranks on devices take all or those on the host are many.
  EXPECT_EQ((ProcessorsShared{4, 1, 6}.threads()), 1);
  EXPECT_EQ((ProcessorsShared{4, 9, 0}.threads()), 1);
}

/// Ranks of one host that may all run on the same processors.
class ProcessorsOfRank : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::vector<int> all = world().all_gather(mine);
    const std::size_t most = world().max(mine.size());
    const bool differs = mine.empty() || mine.size() != most || !std::equal(mine.begin(), mine.end(), all.begin()) ||
                         world().transport().num_hosts() > 1;
    if (world().max(int(differs)) > 0) GTEST_SKIP() << "the ranks do not run on the same processors";
  }

  const std::vector<int> mine = Processors::of_process().numbers();
};

TEST_F(ProcessorsOfRank, AreSharedByAllRanksThatMayRunThere) {
  // The last half of them computes on the host.
  const int num_devices = world().size() / 2;
  const ProcessorsShared shared = processors_of_rank(world(), world().rank() >= num_devices);
  EXPECT_EQ(shared.processors, threads_within_quota(static_cast<int>(mine.size())));
  EXPECT_EQ(shared.host_ranks, world().size() - num_devices);
  EXPECT_EQ(shared.device_ranks, num_devices);
}

TEST_F(ProcessorsOfRank, AreNotSharedByRanksThatRunElsewhere) {
  if (mine.size() < 2) GTEST_SKIP() << "there is one processor";
  const int rank = world().rank(), size = world().size();
  // Ranks of even numbers run on one processor, the others on another; the last rank of each computes on the host.
  ProcessorsShared shared;
  {
    const BoundThreads bound(mine[std::size_t(rank % 2)]);
    shared = processors_of_rank(world(), rank + 2 >= size);
  }
  const int num_here = (size - rank % 2 + 1) / 2;
  EXPECT_EQ(shared.processors, 1);
  EXPECT_EQ(shared.host_ranks, 1);
  EXPECT_EQ(shared.device_ranks, num_here - 1);
  EXPECT_EQ(Processors::of_process().numbers(), mine);
}

}  // namespace
}  // namespace ashlar::testing
#endif
