#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/error.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

namespace ashlar {

/// The size of a memory in bytes, and how much of it can still be allocated.
struct MemoryAmount {
  std::uint64_t total = 0;
  std::uint64_t available = 0;
};

/// 13958643712 as "13958643712 bytes = 13 GiB": for messages.
std::string bytes_text(std::uint64_t bytes);

/// Throws MemoryError where `needed` > `available`: "<what> needs N bytes (M bytes are available); ...".
void require_memory(std::uint64_t needed, std::uint64_t available, const std::string& what);

/// The host's memory, after the limits of the control groups (containers, batch jobs) that this process is in.
///
/// `root` stands before /proc and /sys: for tests. Files that cannot be read impose no limit.
MemoryAmount host_memory(const std::string& root = "");

/// Asks the system to back host memory by large pages: for arrays that products read from end to end, where a page of
/// 4 KiB ends what the processor prefetches and costs an address to look up.
///
/// Linux gives them on request if /sys/kernel/mm/transparent_hugepage/enabled says "madvise". Call this before the
/// memory is touched. Arrays smaller than 4 MiB are left as they are. Without such pages the call does nothing.
void ask_for_huge_pages(void* data, std::size_t bytes);

/// The same for a view in host memory; views in other memory are left alone.
template <class View>
requires Kokkos::is_view_v<View>
void ask_for_huge_pages(const View& view) {
  if constexpr (std::is_same_v<typename View::memory_space, Kokkos::HostSpace>) {
    ask_for_huge_pages(const_cast<typename View::non_const_value_type*>(view.data()),
                       view.span() * sizeof(typename View::value_type));
  }
}

}  // namespace ashlar
