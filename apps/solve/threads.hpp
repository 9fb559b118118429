#pragma once

#include <algorithm>
#include <ashlar/comm/communicator.hpp>
#include <cstdint>
#include <optional>

#include "types.hpp"

namespace ashlar::app {

/// The instance with the requested number of this process' threads; with all of them if no number was requested.
///
/// Throws   ArgumentError where there are fewer, or threads are not what Exec computes with.
template <class Exec>
Exec instance_of_threads(std::optional<int> asked);

/// How many threads a rank takes that computes on the host, one of some that may run on the same processors as it: its
/// share of those, less one for each rank whose device they drive.
struct ProcessorsShared {
  int processors = 1;
  int host_ranks = 1, device_ranks = 0;  ///< this rank counts as well

  int threads() const { return std::max(1, (processors - device_ranks) / std::max(1, host_ranks)); }
};
/// Collective.
ProcessorsShared processors_of_rank(const Communicator& comm, bool on_host);

/// The instance for a solve that keeps so many bytes, matrix and vectors: a thread for each MiB, no more than `all`
/// has. Waking a thread that sleeps takes as long as it takes a core to read a few hundred KiB, which fit in its cache;
/// an iteration wakes it for each of its kernels.
template <class Exec>
Exec instance_for_bytes(const Exec& all, std::uint64_t bytes);

}  // namespace ashlar::app
