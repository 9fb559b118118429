#include <gtest/gtest.h>

#include <ashlar/halo/halo_exchange.hpp>

#include "halo/exchange_cases.hpp"
#include "support/host_streams.hpp"
#include "support/mpi_world.hpp"

namespace ashlar::testing {
namespace {

TEST(StreamModeOverMpi, BringsWhatIsNeeded) {
  if (is_gpu_v<Exec>) GTEST_SKIP() << "halos are in a device's memory";
  const Communicator streams = with_host_streams(world());
  for (const Needs& needs : needs_of_all_kinds(world().size())) {
    expect_right_exchanges<double>(streams, needs, HaloForm::automatic, 3, HaloBuffers::automatic,
                                   ExchangeMode::stream);
  }
  const Needs needs = random_needs(RowPartition::even(10 * world().size(), world().size()), 0.3, 22);
  for (const bool two_in_flight : {false, true}) {
    expect_right_back_to_back(streams, needs, 200, two_in_flight, two_in_flight, HaloBuffers::automatic,
                              ExchangeMode::stream);
  }
}

}  // namespace
}  // namespace ashlar::testing
