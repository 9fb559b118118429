#pragma once

#include <algorithm>
#include <ashlar/device/memory/available_memory.hpp>
#include <cstdint>
#include <limits>
#include <string>

#include "types.hpp"

namespace ashlar::app {

/// Bytes that this process may still take by its own limits (`ulimit -v`, `ulimit -d`, which batch systems set): those
/// of addresses and of data. The largest number there is where it has none.
std::uint64_t bytes_within_limits();

/// Bytes that allocations in Space can still get, by the machine and by the limits of the process.
template <class Space>
std::uint64_t bytes_left() {
  const bool is_host = Kokkos::SpaceAccessibility<HostExecution, Space>::accessible;
  return std::min(available_bytes<Space>(),
                  is_host ? bytes_within_limits() : std::numeric_limits<std::uint64_t>::max());
}

/// Throws MemoryError where the host has fewer bytes left than `needed`.
inline void require_host_memory(std::uint64_t needed, const std::string& what) {
  require_memory(needed, bytes_left<Kokkos::HostSpace>(), what);
}

}  // namespace ashlar::app
