#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <cstdint>
#include <string>

namespace ashlar {

/// What a memory holds, in bytes, and how much of it an allocation could still get.
struct MemoryAmount {
  std::uint64_t total = 0;
  std::uint64_t available = 0;
};

/// 13958643712 as "13958643712 bytes = 13 GiB": for messages.
std::string bytes_text(std::uint64_t bytes);

/// Throws MemoryError where `needed` > `available`: "<what> needs N bytes (M bytes are available); ...".
void require_memory(std::uint64_t needed, std::uint64_t available, const std::string& what);

namespace impl {

/// The host's memory, after the limits of the control groups (containers, batch jobs) that this process is in.
///
/// `root` stands before /proc and /sys: for tests. What cannot be read limits nothing.
MemoryAmount host_memory(const std::string& root = "");

/// The memory of the device that Kokkos took. One file a backend.
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
    return impl::host_memory();
  } else {
    return impl::device_memory();
  }
}

/// How many bytes allocations in Space can still get. Others may take them first: an estimate, not a promise.
template <memory_space Space>
std::uint64_t available_bytes() {
  return memory_amount<Space>().available;
}

/// Finds out before anything is allocated whether Space has room for it.
///
/// Throws   MemoryError with both figures.
template <memory_space Space>
void require_memory(std::uint64_t needed, const std::string& what) {
  require_memory(needed, available_bytes<Space>(), what);
}

}  // namespace ashlar
