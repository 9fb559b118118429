#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ashlar/comm/rank_devices.hpp>
#include <ashlar/halo/halo_exchange.hpp>
#include <initializer_list>
#include <string>
#include <vector>

#include "halo/exchange_cases.hpp"
#include "halo/ghost_cases.hpp"
#include "halo/kernel_cases.hpp"
#include "halo/reverse_cases.hpp"
#include "support/mpi_world.hpp"
#include "support/watcher.hpp"

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

TEST(HaloExchangeOverMpi, AddsContributionsInTheOrderOfRanks) {
  expect_right_sums_of_all_kinds(world(), ExchangeMode::blocking);
}

TEST(HaloExchangeOverMpi, FillsGhostsInTheirOwnOrder) {
  expect_right_ghosts_of_all_kinds(world(), ExchangeMode::blocking);
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

void expect_right_in_kernels(const Communicator& comm, std::int64_t packet_bytes) {
  constexpr ExchangeMode mode = ExchangeMode::kernel;
  for (const Needs& needs : needs_of_all_kinds(comm.size())) {
    for (const HaloForm form : all_forms) {
      expect_right_exchanges<double>(comm, needs, form, 3, HaloBuffers::automatic, mode, packet_bytes);
    }
  }
  const Needs many = random_needs(RowPartition::even(10 * comm.size(), comm.size()), 0.3, 22);
  for (const bool two_in_flight : {false, true}) {
    expect_right_back_to_back(comm, many, 300, two_in_flight, !two_in_flight, HaloBuffers::automatic, mode,
                              packet_bytes);
  }
  expect_right_whole(comm, many, 1000, mode, packet_bytes);
}

TEST(HaloExchangeOverMpi, InKernelsThroughMemoryThatProcessesShare) { expect_right_in_kernels(world(), 0); }

TEST(HaloExchangeOverMpi, InKernelsByPackets) {
  expect_right_in_kernels(world(), 1 << 20);
  expect_right_by_kernels(world(), 1000, {.packet_bytes = 16384});
}

// What devices share by file descriptors; handles, which come first, work on most machines.
TEST(HaloExchangeOverMpi, InKernelsThroughMemoryBehindFileDescriptors) {
  if (memory_kind_of<Space> != MemoryKind::cuda || !find_peer_memory(Exec(), world()).work) {
    GTEST_SKIP() << "takes CUDA, and a device for each rank";
  }
  Communicator comm = world().duplicate();
  comm.use_peer_sharing(PeerSharing::descriptors);
  expect_right_in_kernels(comm, 0);
  const Needs many = random_needs(RowPartition::even(10 * comm.size(), comm.size()), 0.3, 22);
  expect_right_replays(comm, many, ExchangeMode::kernel, true);
  expect_right_by_kernels(comm, 300);
  const Side side(comm, many, HaloForm::automatic, 1, HaloBuffers::automatic, ExchangeMode::kernel);
  EXPECT_THAT(side.exchange.explain(),
              ::testing::HasSubstr("memory of the other devices, by file descriptors (as asked for)"));
}

TEST(HaloExchangeOverMpi, InKernelsOfTheCallers) { expect_right_by_kernels(world(), 1000); }

TEST(HaloExchangeOverMpi, InKernelsAreReplayed) {
  const Needs many = random_needs(RowPartition::even(10 * world().size(), world().size()), 0.3, 22);
  const Needs chain = chain_needs(RowPartition::even(8 * world().size(), world().size()));
  for (const bool is_whole : {false, true}) {
    for (const std::int64_t packet_bytes : {0, 1 << 20}) {
      expect_right_replays(world(), many, ExchangeMode::kernel, is_whole, packet_bytes);
      expect_right_replays(world(), chain, ExchangeMode::kernel, is_whole, packet_bytes);
    }
  }
}

/// Labels of the kernels that work enqueues.
template <class Work>
std::vector<std::string> kernels_of(const Work& work) {
  const Watcher watcher;
  work();
  return kernels(watcher);
}

TEST(HaloExchangeOverMpi, InKernelsTakesAsFewLaunchesAsItCan) {
  // Entries that are packed, and others one after another: of each neighbour another form.
  const Needs needs = random_needs(RowPartition::even(40 * world().size(), world().size()), 1, 22);
  for (const HaloForm form : all_forms) {
    Side side(world(), needs, form, 2, HaloBuffers::automatic, ExchangeMode::kernel);
    const bool sends = !side.exchange.plan().to().empty(), receives = !side.exchange.plan().from().empty();
    const auto labels = [](std::initializer_list<const char*> some) {
      return std::vector<std::string>(some.begin(), some.end());
    };
    EXPECT_EQ(kernels_of([&] { side.exchange.begin(side.exec, side.x); }),
              sends ? labels({"ashlar::halo[put]"}) : labels({}));
    // On hosts the calling thread waits.
    EXPECT_EQ(kernels_of([&] { side.exchange.end(side.exec); }),
              receives && is_gpu_v<Exec> ? labels({"ashlar::halo[wait]"}) : labels({}));
    const auto whole = kernels_of([&] { side.exchange.exchange(side.exec, side.x); });
    if (is_gpu_v<Exec>) {
      EXPECT_EQ(whole, sends || receives ? labels({"ashlar::halo[exchange]"}) : labels({}));
    }
  }
  NumbersByKernels numbers(world());
  const bool has_neighbours = numbers.out.size() > 0;
  EXPECT_EQ(kernels_of([&] { numbers.start(1); }).size(), has_neighbours ? 1U : 0U);
  EXPECT_EQ(kernels_of([&] { numbers.exchange->finish(numbers.exec); }).size(),
            has_neighbours && is_gpu_v<Exec> ? 1U : 0U);
  if (is_gpu_v<Exec>) {
    EXPECT_EQ(kernels_of([&] { numbers.whole(2); }).size(), 1U);
  }
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
