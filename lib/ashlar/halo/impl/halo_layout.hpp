#pragma once

#include <ashlar/comm/communicator.hpp>
#include <ashlar/halo/exchange_mode.hpp>
#include <ashlar/halo/halo_plan.hpp>
#include <cstdint>
#include <vector>

namespace ashlar::impl {

/// Sizes that all ranks of an exchange have in common.
struct HaloEntries {
  int scalar_bytes = 8;
  int block_size = 1;
  int num_vectors = 1;

  std::int64_t scalars() const { return std::int64_t(block_size) * num_vectors; }
  std::int64_t bytes() const { return scalars() * scalar_bytes; }
};

/// The messages of a HaloExchange in its buffers. The send buffer begins with the packed entries, in the order of
/// plan.send_index(); the contiguous ones follow.
struct HaloLayout {
  /// Collective.
  ///
  /// Throws   on all ranks together: ArgumentError if `entries` differ between ranks, or other ranks made the plan.
  HaloLayout(const Communicator& comm, const HaloPlan& plan, const HaloEntries& entries);

  std::vector<NeighbourMessage> to, from;
  std::int64_t packed_bytes = 0;
};

/// The received entries to add to each own entry, in the order of the ranks that sent them.
struct EntrySums {
  std::vector<std::int64_t> entry;     ///< own entries with contributions, ascending
  std::vector<std::int64_t> begin;     ///< entry[i] gets source[begin[i]] to source[begin[i + 1] - 1]
  std::vector<std::int64_t> source;    ///< positions among the received entries
  std::vector<NeighbourMessage> from;  ///< in bytes: consecutive messages, by rank
};

/// The sums on a rank to which the halo goes back.
EntrySums entry_sums(const HaloPlan& plan, std::int64_t entry_bytes);

}  // namespace ashlar::impl
