#pragma once

#include <ashlar/base/concepts.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/comm/direct_messages.hpp>
#include <ashlar/comm/memory_kind_of.hpp>
#include <ashlar/halo/halo_figures.hpp>
#include <ashlar/halo/halo_plan.hpp>
#include <string>

namespace ashlar::impl {

/// Whether the messages of an exchange go through pinned memory of the host, and why.
struct HaloStaging {
  bool is_staged = false;
  std::string why = {};
};

/// What a rank whose halo is in memory of this kind does, after find_direct_messages().
///
/// Throws   ArgumentError on all ranks where the device's memory was asked for, and does not work.
HaloStaging choose_staging(const Communicator& comm, HaloBuffers wanted, const DirectMessages& direct, MemoryKind kind);

/// The same, which asks. Collective; the same is wanted on all ranks.
template <execution_space Exec>
HaloStaging find_staging(const Exec& exec, const Communicator& comm, HaloBuffers wanted) {
  if (wanted == HaloBuffers::staged) return {true, "as asked for"};
  return choose_staging(comm, wanted, find_direct_messages(exec, comm), memory_kind_of<typename Exec::memory_space>);
}

/// NeighbourExchange::explain(): `way` says how messages go.
std::string explain(const HaloFigures& figures, const std::string& way);

}  // namespace ashlar::impl
