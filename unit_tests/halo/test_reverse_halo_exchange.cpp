// Contributions that go back to the ranks that own the entries: sums in the order of ranks, bit by bit.
#include <gtest/gtest.h>

#include <chrono>
#include <vector>

#include "halo/reverse_cases.hpp"
#include "support/host_streams.hpp"

namespace ashlar::testing {
namespace {

TEST(ReverseHaloExchange, AddsWhatComesInTheOrderOfRanks) {
  for (int ranks = 1; ranks <= 4; ++ranks) {
    run_ranks(ranks, [&](Communicator& comm) { expect_right_sums_of_all_kinds(comm, ExchangeMode::blocking); });
  }
}

TEST(ReverseHaloExchange, AddsTheSameWithMessagesThatComeLate) {
  using View = Kokkos::View<double*, Kokkos::DefaultExecutionSpace::memory_space>;
  const Needs needs = random_needs(RowPartition::even(40, 4), 0.5, 21);
  run_ranks(4, [&](Communicator& comm) { expect_right_sums<View>(comm, needs, HaloForm::packed, 2, 1); },
            {.max_delay = std::chrono::microseconds(200), .seed = 3, .rendezvous = true});
}

TEST(ReverseHaloExchange, AddsInTheOrderOfStreams) {
  if (is_gpu_v<Kokkos::DefaultExecutionSpace>) GTEST_SKIP() << "halos are in a device's memory";
  for (int ranks = 1; ranks <= 4; ++ranks) {
    run_ranks(ranks, [&](Communicator& comm) {
      expect_right_sums_of_all_kinds(with_host_streams(comm), ExchangeMode::stream);
    });
  }
}

TEST(ReverseHaloExchange, AddsWhatKernelsSend) {
#ifdef KOKKOS_ENABLE_ATOMICS_BYPASS
  GTEST_SKIP() << "this Kokkos has no threads: ranks take turns, and none waits in a kernel";
#endif
  if (is_gpu_v<Kokkos::DefaultExecutionSpace>) GTEST_SKIP() << "ranks share a device";
  for (int ranks = 1; ranks <= 4; ++ranks) {
    run_ranks(ranks, [&](Communicator& comm) { expect_right_sums_of_all_kinds(comm, ExchangeMode::kernel); });
  }
}

// Two neighbours' lists may name one entry, and so may one list.
TEST(ReverseHaloExchange, AddsToAnEntryThatIsListedTwice) {
  using Exec = Kokkos::DefaultExecutionSpace;
  using Space = Exec::memory_space;
  run_ranks(2, [&](Communicator& comm) {
    const Exec exec = rank_instance<Exec>();
    std::vector<std::vector<std::int64_t>> send(2);
    std::vector<std::int64_t> receive(2, 0);
    if (comm.rank() == 0) {
      send[1] = {2, 0, 2};
    } else {
      receive[0] = 3;
    }
    const HaloPlan plan = HaloPlan::from_lists(comm, 3, receive, send);
    ReverseHaloExchange<double, Exec> exchange(exec, comm, plan, 1, 1, ExchangeMode::blocking);
    exchange.open(exec);
    if (comm.rank() == 1) Kokkos::deep_copy(exec, exchange.halo(), to_device<Space>(std::vector<double>{1, 10, 100}));
    exchange.begin(exec);
    const auto y = to_device<Space>(std::vector<double>{0.5, 0.5, 0.5});
    exchange.end_and_add(exec, y);
    exec.fence();
    EXPECT_EQ(to_host(y),
              comm.rank() == 0 ? (std::vector<double>{10.5, 0.5, 101.5}) : (std::vector<double>{0.5, 0.5, 0.5}));
  });
}

TEST(ReverseHaloExchange, RefusesVectorsThatDoNotFit) {
  using Exec = Kokkos::DefaultExecutionSpace;
  run_ranks(1, [&](Communicator& comm) {
    const Exec exec;
    const HaloPlan plan(comm, RowPartition({0, 4}), {});
    ReverseHaloExchange<double, Exec> exchange(exec, comm, plan, 2);
    exchange.open(exec);
    exchange.begin(exec);
    EXPECT_THROW(exchange.end_and_add(exec, Kokkos::View<double*, Exec::memory_space>("y", 4)), ShapeError);
  });
}

}  // namespace
}  // namespace ashlar::testing
