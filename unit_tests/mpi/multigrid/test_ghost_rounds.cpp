#include <gtest/gtest.h>

#include <ashlar/comm/rank_devices.hpp>
#include <cstdint>

#include "multigrid/ghost_rounds.hpp"
#include "support/host_streams.hpp"
#include "support/mpi_world.hpp"

namespace ashlar::testing {
namespace {

TEST(GhostRounds, EveryGhostCellIsRightWhateverRanksWaitFor) {
  const auto expect_right = [](const Communicator& comm, ExchangeMode mode, std::int64_t packet_bytes = 0) {
    expect_right_ghosts_whatever_ranks_wait_for(comm, {.mode = mode, .packet_bytes = packet_bytes});
  };
  expect_right(world().duplicate(), ExchangeMode::blocking);
  if (find_peer_memory(Exec(), world()).work) {
    for (const std::int64_t packet_bytes : {std::int64_t(0), all_as_packets}) {
      expect_right(world().duplicate(), ExchangeMode::kernel, packet_bytes);
    }
  }
  // (On streams of GPUs it is a test of NCCL.)
  if (!is_gpu_v<Exec>) expect_right(with_host_streams(world()), ExchangeMode::stream);
}

}  // namespace
}  // namespace ashlar::testing
