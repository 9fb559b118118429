#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/halo/exchange_mode.hpp>
#include <ashlar/halo/halo_plan.hpp>
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

/// Which received entries each own entry gets, in the order of the ranks that sent them.
struct EntrySums {
  std::vector<std::int64_t> entry;     ///< own entries that get any, ascending
  std::vector<std::int64_t> begin;     ///< entry[i] gets source[begin[i]] to source[begin[i + 1] - 1]
  std::vector<std::int64_t> source;    ///< places among the entries received
  std::vector<NeighbourMessage> from;  ///< in bytes: messages one after another, by rank
};

/// The sums at the ranks to which `plan` sends.
EntrySums entry_sums(const HaloPlan& plan, std::int64_t entry_bytes);

/// A list where kernels of `Exec` read it. Allocates, and waits for `exec`.
template <class Item, execution_space Exec>
Kokkos::View<Item*, typename Exec::memory_space> listed(const Exec& exec, const std::vector<Item>& items) {
  const Kokkos::View<Item*, typename Exec::memory_space> there(
      Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "ashlar::halo::peers"), items.size());
  using Here = Kokkos::View<const Item*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  if (!items.empty()) Kokkos::deep_copy(exec, there, Here(items.data(), items.size()));
  exec.fence("ashlar::halo: lists of peers");
  return there;
}

}  // namespace ashlar::impl
