#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ashlar/halo/measure_halo.hpp>
#include <chrono>
#include <thread>
#include <vector>

#include "comm/claiming_transport.hpp"
#include "halo/exchange_cases.hpp"
#include "support/message.hpp"
#include "support/thread_ranks.hpp"

namespace ashlar::testing {
namespace {

using ::testing::HasSubstr;

std::vector<double> numbers_of(const HaloCosts& costs) {
  return {costs.message_seconds, costs.options.message_gb_s, costs.options.pack_gb_s, costs.options.pack_seconds};
}

TEST(MeasureHalo, GivesTheSameBitsOnAllRanks) {
  for (const int ranks : {2, 3, 4}) {
    for (const int entry_bytes : {4, 24, 8 * 6 * 16}) {
      run_ranks(ranks,
                [&](Communicator& comm) {
                  const HaloCosts costs = measure_halo(own_instance(), comm, {.entry_bytes = entry_bytes});
                  EXPECT_EQ(costs.options.entry_bytes, entry_bytes);
                  for (const double number : numbers_of(costs)) {
                    EXPECT_GT(number, 0);
                    EXPECT_EQ(comm.all_gather(number), std::vector<double>(std::size_t(ranks), comm.broadcast(number)));
                  }
                  // Plans take them.
                  const Needs needs = random_needs(RowPartition::even(10 * ranks, ranks), 0.4, 41);
                  EXPECT_NO_THROW(HaloPlan(comm, needs.partition, needs.at(comm.rank()), costs.options));
                },
                {.max_delay = std::chrono::microseconds(50 * (ranks - 2))});
    }
  }
}

TEST(MeasureHalo, KeepsWhatItDoesNotMeasure) {
  run_ranks(2, [](Communicator& comm) {
    const HaloCosts costs = measure_halo(own_instance(), comm,
                                         {.form = HaloForm::whole, .buffers = HaloBuffers::staged, .entry_bytes = 48});
    EXPECT_EQ(costs.options.form, HaloForm::whole);
    EXPECT_EQ(costs.options.buffers, HaloBuffers::staged);
    EXPECT_EQ(costs.options.entry_bytes, 48);
  });
  const HaloOptions given{.message_gb_s = 3, .pack_gb_s = 4, .pack_seconds = 5};
  const HaloCosts alone = measure_halo(own_instance(), Communicator(), given);
  EXPECT_EQ(numbers_of(alone), (std::vector<double>{0, 3, 4, 5}));
}

TEST(MeasureHalo, FindsSlowMessagesSlow) {
  const auto measured = [](const ClaimingOptions& options) {
    HaloCosts costs;
    run_ranks(2, [&](Communicator& threads) {
      const HaloCosts mine = measure_halo(own_instance(), claiming(threads, options), {.entry_bytes = 8});
      if (threads.rank() == 0) costs = mine;
    });
    return costs;
  };
  ClaimingOptions fast;
  fast.claims = [](int) { return false; };
  ClaimingOptions slow = fast;
  slow.spoil = [](const Came&) { std::this_thread::sleep_for(std::chrono::milliseconds(20)); };
  const HaloCosts of_slow = measured(slow), of_fast = measured(fast);
  EXPECT_GE(of_slow.message_seconds, 0.0199);
  EXPECT_LT(of_fast.message_seconds, of_slow.message_seconds);
  // 1 MiB in 20 ms.
  EXPECT_LE(of_slow.options.message_gb_s, 0.053);
  EXPECT_GT(of_fast.options.message_gb_s, of_slow.options.message_gb_s);
}

TEST(MeasureHalo, RefusesOnAllRanksWhatTheyDisagreeAbout) {
  run_ranks(3, [](Communicator& comm) {
    const bool differs = comm.rank() == 2;
    EXPECT_THAT(
        message_of<ArgumentError>([&] { measure_halo(own_instance(), comm, {.entry_bytes = differs ? 8 : 24}); }),
        HasSubstr("bytes of an entry 8 on rank 2, 24 on rank 0"));
    EXPECT_THAT(message_of<ArgumentError>([&] {
                  measure_halo(own_instance(), comm, {.buffers = differs ? HaloBuffers::staged : HaloBuffers::device});
                }),
                HasSubstr("buffers staged on rank 2, device on rank 0"));
    EXPECT_THROW(measure_halo(own_instance(), comm, {.entry_bytes = 0}), ArgumentError);
  });
}

}  // namespace
}  // namespace ashlar::testing
