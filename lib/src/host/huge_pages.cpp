#include <sys/mman.h>
#include <unistd.h>

#include <ashlar/host/huge_pages.hpp>
#include <cstdint>

namespace ashlar {

void ask_for_huge_pages([[maybe_unused]] void* data, [[maybe_unused]] std::size_t bytes) {
#ifdef MADV_HUGEPAGE  // on Linux
  constexpr std::size_t worth_it = std::size_t(4) << 20;
  if (data == nullptr || bytes < worth_it) return;
  // The pages that are the array's alone.
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE)), begin = reinterpret_cast<std::uintptr_t>(data);
  const std::uintptr_t first = (begin + page - 1) / page * page, last = (begin + bytes) / page * page;
  // That the system has none is no error.
  madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
#endif
}

}  // namespace ashlar
