// Ghost entries in an application's own order, filled in place.
#include <gmock/gmock.h>

#include <vector>

#include "halo/ghost_cases.hpp"
#include "support/message.hpp"

namespace ashlar::testing {
namespace {

using ::testing::HasSubstr;

TEST(GhostExchange, FillsGhostsInTheirOwnOrder) {
  for (int ranks = 1; ranks <= 3; ++ranks) {
    run_ranks(ranks, [&](Communicator& comm) { expect_right_ghosts_of_all_kinds(comm, ExchangeMode::blocking); });
  }
}

TEST(GhostExchange, FillsGhostsByKernels) {
#ifdef KOKKOS_ENABLE_ATOMICS_BYPASS
  GTEST_SKIP() << "this Kokkos has no threads: ranks take turns, and none waits in a kernel";
#endif
  if (is_gpu_v<Exec>) GTEST_SKIP() << "ranks share a device";
  run_ranks(2, [&](Communicator& comm) { expect_right_ghosts_of_all_kinds(comm, ExchangeMode::kernel); });
}

TEST(GhostExchange, RefusesVectorsWithoutGhostsAndGhostsOfItsOwn) {
  run_ranks(2, [&](Communicator& comm) {
    const Exec exec = own_instance();
    const RowPartition partition = RowPartition::even(8, 2);
    const Numbers ghosts{comm.rank() == 0 ? 5 : 2};
    GhostExchange<double, Exec> exchange(exec, comm, partition, ghosts, 2);
    const Kokkos::View<double*, Space> own("own", 8);
    EXPECT_THAT(message_of<ShapeError>([&] { exchange.fill(exec, own); }),
                HasSubstr("4 own and 1 ghost block entries"));
    const Numbers bad{comm.rank() == 0 ? 3 : 2};  // rank 0 has 0 to 3
    EXPECT_THROW((GhostExchange<double, Exec>(exec, comm, partition, bad, 2)), Error);
  });
}

}  // namespace
}  // namespace ashlar::testing
