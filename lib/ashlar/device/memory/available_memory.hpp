#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/host/memory.hpp>
#include <cstdint>
#include <string>

namespace ashlar {

namespace impl {
/// The memory of the GPU that Kokkos took.
MemoryAmount device_memory();
}  // namespace impl

/// The memory that allocations in Space come from, as it is now.
///
/// Memory reachable from the host counts as the host's.
///
/// Async    none. A GPU's needs Kokkos initialised.
template <memory_space Space>
MemoryAmount memory_amount() {
  if constexpr (Kokkos::SpaceAccessibility<Kokkos::DefaultHostExecutionSpace, Space>::accessible) {
    return host_memory();
  } else {
    return impl::device_memory();
  }
}

/// How many bytes allocations in Space can still get. Others may take them first: an estimate, not a promise.
template <memory_space Space>
std::uint64_t available_bytes() {
  return memory_amount<Space>().available;
}

/// The bytes that a plan may take of those available: a sixteenth is left to others.
constexpr std::uint64_t plannable_bytes(std::uint64_t available) { return available - available / 16; }

/// Finds out before anything is allocated whether Space has room for it.
///
/// Throws   MemoryError with both figures.
template <memory_space Space>
void require_memory(std::uint64_t needed, const std::string& what) {
  require_memory(needed, available_bytes<Space>(), what);
}

}  // namespace ashlar
