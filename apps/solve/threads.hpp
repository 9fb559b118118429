#pragma once

#include <cstdint>
#include <optional>

#include "types.hpp"

namespace ashlar::app {

/// The instance with so many of this process' threads; with all of them where no number was asked for.
///
/// Throws   ArgumentError where there are fewer, or threads are not what this build computes with.
Execution instance_of_threads(std::optional<int> asked);

/// The instance for a solve that keeps so many bytes, matrix and vectors: a thread for each MiB, no more than `all`
/// has. Waking a thread that sleeps takes as long as it takes a core to read a few hundred KiB, which fit in its cache;
/// an iteration wakes it for each of its kernels.
Execution instance_for_bytes(const Execution& all, std::uint64_t bytes);

}  // namespace ashlar::app
