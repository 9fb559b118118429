#include <unistd.h>

#include <algorithm>
#include <ashlar/host/memory.hpp>
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
  // Pages of files that are read count as used, but make way.
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

}  // namespace ashlar
