// Multigrid in stream mode on GPUs: the same bits as in blocking mode, with overlap and without.
#include <gtest/gtest.h>

#include <ashlar/comm/nccl/transport.hpp>
#include <set>
#include <vector>

#include "multigrid/rank_levels.hpp"
#include "support/mpi_world.hpp"

namespace ashlar::testing {
namespace {

TEST(NcclMultigrid, HasTheBitsOfBlockingMode) {
  if (world().is_alone()) GTEST_SKIP() << "one rank exchanges nothing";
  const std::vector<int> devices = world().split_by_host().all_gather(Kokkos::device_id());
  const bool share = std::set<int>(devices.begin(), devices.end()).size() < devices.size();
  if (world().max(int(share)) > 0) GTEST_SKIP() << "ranks share a GPU";
  Communicator streams = world().duplicate();
  streams.use_stream_transport(nccl_transport(streams));
  for (const Discretisation kind : {fv2, fv4}) {
    MultigridOptions options{
        .discretisation = kind, .exchange = {.mode = ExchangeMode::blocking}, .overlap = Overlap::off};
    const std::vector<double> blocking = numbers_of(world(), 2, 16, options, Cycle::fv);
    options.exchange.mode = ExchangeMode::stream;
    for (const Overlap overlap : {Overlap::off, Overlap::on}) {
      options.overlap = overlap;
      EXPECT_EQ(numbers_of(streams, 2, 16, options, Cycle::fv), blocking) << to_string(overlap);
    }
  }
}

}  // namespace
}  // namespace ashlar::testing
