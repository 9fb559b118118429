#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ashlar/halo/halo_exchange.hpp>

#include "halo/exchange_cases.hpp"
#include "support/mpi_world.hpp"

namespace ashlar::testing {
namespace {

TEST(HaloExchangeOverMpi, BringsWhatIsNeededInAllForms) {
  for (const Needs& needs : needs_of_all_kinds(world().size())) {
    for (const HaloForm form : all_forms) {
      expect_right_exchanges<double>(world(), needs, form, 3, HaloBuffers::automatic, ExchangeMode::blocking);
      expect_right_exchanges<Kokkos::complex<float>>(world(), needs, form, 1, HaloBuffers::automatic,
                                                     ExchangeMode::blocking);
    }
  }
}

TEST(HaloExchangeOverMpi, AThousandBackToBackWithRandomDelays) {
  // Small messages, which MPI sends ahead, and large ones, for which the sender waits.
  for (const std::int64_t entries : {10, 20000}) {
    const Needs needs = chain_needs(RowPartition::even(entries * world().size(), world().size()));
    const Needs many = random_needs(RowPartition::even(entries * world().size(), world().size()), 0.3, 22);
    const int count = entries > 1000 ? 50 : 1000;
    for (const bool two_in_flight : {false, true}) {
      for (const bool by_pieces : {false, true}) {
        for (const Needs& its : {needs, many}) {
          expect_right_back_to_back(world(), its, count, two_in_flight, by_pieces, HaloBuffers::automatic,
                                    ExchangeMode::blocking);
        }
      }
    }
  }
}

TEST(HaloExchangeOverMpi, InKernelsThroughMemoryThatProcessesShare) {
  for (const Needs& needs : needs_of_all_kinds(world().size())) {
    for (const HaloForm form : all_forms) {
      expect_right_exchanges<double>(world(), needs, form, 3, HaloBuffers::automatic, ExchangeMode::kernel);
    }
  }
  const Needs many = random_needs(RowPartition::even(10 * world().size(), world().size()), 0.3, 22);
  for (const bool two_in_flight : {false, true}) {
    expect_right_back_to_back(world(), many, 300, two_in_flight, !two_in_flight, HaloBuffers::automatic,
                              ExchangeMode::kernel);
  }
}

TEST(HaloExchangeOverMpi, InKernelsAreReplayed) {
  const Needs many = random_needs(RowPartition::even(10 * world().size(), world().size()), 0.3, 22);
  expect_right_replays(world(), many, ExchangeMode::kernel);
  expect_right_replays(world(), chain_needs(RowPartition::even(8 * world().size(), world().size())),
                       ExchangeMode::kernel);
}

TEST(HaloExchangeOverMpi, RefusesOnAllRanksWhatIsWrongOnOne) {
  const RowPartition partition = RowPartition::even(4 * world().size(), world().size());
  const int guilty = world().size() - 1;
  const Numbers wrong = {world().rank() == guilty ? 1000 : -1};
  const auto make = [&] { HaloPlan(world(), partition, world().rank() == guilty ? wrong : Numbers{}); };
  if (world().rank() == guilty) {
    EXPECT_THROW(make(), ArgumentError);
  } else {
    EXPECT_THROW(make(), RankError);
  }
  const Exec exec = own_instance();
  const HaloPlan plan(world(), partition, Numbers{});
  using Exchange = HaloExchange<double, Exec>;
  if (world().size() > 1) {
    EXPECT_THROW(Exchange(exec, world(), plan, 1 + world().rank()), ArgumentError);
  }
  const Exchange right(exec, world(), plan, 2);
  EXPECT_EQ(right.num_in_flight(), 0);
}

}  // namespace
}  // namespace ashlar::testing
