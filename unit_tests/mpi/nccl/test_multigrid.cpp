// Multigrid in stream mode on GPUs: the reference's numbers, and the same bits as in blocking mode; ghost cells when
// ranks are late.
#include <gtest/gtest.h>

#include <ashlar/comm/nccl/transport.hpp>
#include <set>
#include <vector>

#include "multigrid/ghost_rounds.hpp"
#include "multigrid/reference_rows_of_ranks.hpp"
#include "support/mpi_world.hpp"

namespace ashlar::testing {
namespace {

class NcclMultigrid : public ::testing::Test {
 protected:
  void SetUp() override {
    if (world().is_alone()) GTEST_SKIP() << "one rank exchanges nothing";
    const std::vector<int> devices = world().split_by_host().all_gather(Kokkos::device_id());
    const bool share = std::set<int>(devices.begin(), devices.end()).size() < devices.size();
    if (world().max(int(share)) > 0) GTEST_SKIP() << "ranks share a GPU";
    streams.use_stream_transport(nccl_transport(streams));
  }

  Communicator streams = world().duplicate();
};

TEST_F(NcclMultigrid, HasTheReferencesNumbers) {
  for (const ReferenceRow& row : rows_in_time()) expect_row_over(streams, row, ExchangeMode::stream);
}

TEST_F(NcclMultigrid, HasTheBitsOfBlockingMode) {
  for (const Discretisation kind : {fv2, fv4}) {
    MultigridOptions options{
        .discretisation = kind, .exchange = {.mode = ExchangeMode::blocking}, .overlap = Overlap::off};
    const std::vector<double> blocking = numbers_of(world(), 2, 16, options, Cycle::fv);
    options.exchange.mode = ExchangeMode::stream;
    EXPECT_EQ(numbers_of(streams, 2, 16, options, Cycle::fv), blocking) << to_string(kind);
  }
}

TEST_F(NcclMultigrid, EveryGhostCellIsRightWhateverRanksWaitFor) {
  expect_right_ghosts_whatever_ranks_wait_for(streams, {.mode = ExchangeMode::stream});
}

}  // namespace
}  // namespace ashlar::testing
