#pragma once

#include <ashlar/comm/communicator.hpp>
#include <ashlar/halo/halo_plan.hpp>
#include <ashlar/halo/neighbour_message.hpp>
#include <cstdint>
#include <vector>

namespace ashlar::impl {

/// What all ranks of an exchange have alike.
struct HaloEntries {
  int scalar_bytes = 8;
  int block_size = 1;
  int num_vectors = 1;

  std::int64_t scalars() const { return std::int64_t(block_size) * num_vectors; }
  std::int64_t bytes() const { return scalars() * scalar_bytes; }
};

/// Where the messages of a HaloExchange are in its buffers: of what is sent the packed entries first, as they are in
/// plan.send_index(), then the spans.
struct HaloLayout {
  /// Collective.
  ///
  /// Throws   on all ranks together: ArgumentError where these differ between ranks, or the plan is of other ranks.
  HaloLayout(const Communicator& comm, const HaloPlan& plan, const HaloEntries& entries);

  std::vector<NeighbourMessage> to, from;
  std::int64_t packed_bytes = 0;
};

}  // namespace ashlar::impl
