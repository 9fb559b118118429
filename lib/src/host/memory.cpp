#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/host/memory.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "control_groups.hpp"

namespace ashlar {

namespace {

constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

/// The names that the two versions of control groups have for the same three figures.
struct MemoryFiles {
  const char *limit, *used, *reclaimable;
};
constexpr MemoryFiles files_of_version[] = {{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"},
                                            {"memory.max", "memory.current", "inactive_file"}};

/// Lowers `amount` to the limit of a control group.
void apply_limit(const std::string& folder, const MemoryFiles& files, MemoryAmount& amount) {
  using impl::number_in;
  const auto found = number_in(folder + files.limit);
  if (!found) return;
  const std::uint64_t limit(*found), used(number_in(folder + files.used).value_or(0));
  // The page cache counts as used, but the kernel reclaims it.
  const std::uint64_t reclaimable(number_in(folder + "memory.stat", files.reclaimable).value_or(0));
  const std::uint64_t taken = used - std::min(used, reclaimable);
  amount.total = std::min(amount.total, limit);
  amount.available = std::min(amount.available, limit - std::min(limit, taken));
}

}  // namespace

MemoryAmount host_memory(const std::string& root) {
  using impl::number_in;
  const std::string meminfo = root + "/proc/meminfo";
  MemoryAmount amount{unlimited, unlimited};
  if (const auto total = number_in(meminfo, "MemTotal:")) amount.total = std::uint64_t(*total) * 1024;
  if (const auto available = number_in(meminfo, "MemAvailable:")) {
    amount.available = std::uint64_t(*available) * 1024;
  } else if (root.empty()) {
    const auto pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    if (pages > 0 && page > 0) amount.available = std::uint64_t(pages) * std::uint64_t(page);
  }

  impl::for_control_groups(root, "memory", [&](const std::string& folder, int version) {
    apply_limit(folder, files_of_version[version - 1], amount);
  });
  amount.available = std::min(amount.available, amount.total);
  return amount;
}

std::string bytes_text(std::uint64_t bytes) {
  constexpr std::array<const char*, 7> units{"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double amount = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; amount >= 1024 && unit + 1 < units.size(); ++unit) amount /= 1024;
  if (unit == 0) return text(bytes, " bytes");
  return text(bytes, " bytes = ", std::round(amount * 10) / 10, " ", units[unit]);
}

void require_memory(std::uint64_t needed, std::uint64_t available, const std::string& what) {
  if (needed <= available) return;
  throw MemoryError(needed, available, text(what, " needs ", bytes_text(needed)),
                    text(bytes_text(available), " are available"),
                    "make it smaller, or use a machine with more memory");
}

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
