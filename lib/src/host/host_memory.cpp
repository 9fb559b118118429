#include <unistd.h>

#include <algorithm>
#include <ashlar/host/memory.hpp>
#include <fstream>
#include <limits>
#include <locale>
#include <optional>
#include <sstream>
#include <string>

namespace ashlar {

namespace {

constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

/// The number after `key` in a file of lines "key number ..."; an empty key takes the first number of the file.
std::optional<std::uint64_t> number_in(const std::string& path, const std::string& key = "") {
  std::ifstream file(path);
  std::string word;
  std::uint64_t number = 0;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    words.imbue(std::locale::classic());
    if (!key.empty() && (!(words >> word) || word != key)) continue;
    if (words >> number) return number;
    return std::nullopt;  // "max": no limit
  }
  return std::nullopt;
}

/// The names that the two versions of control groups have for the same three figures.
struct ControlGroupFiles {
  const char *mount, *limit, *used, *reclaimable;
};
constexpr ControlGroupFiles version_1{"/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
                                      "total_inactive_file"};
constexpr ControlGroupFiles version_2{"/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"};

/// Lowers `amount` to the limits of a control group and of all those above it.
void apply_limits(const std::string& root, const ControlGroupFiles& files, std::string group, MemoryAmount& amount) {
  for (;; group.erase(group.find_last_of('/'))) {
    if (!group.empty() && group.back() == '/') group.pop_back();
    const std::string folder = root + files.mount + group + "/";
    if (const auto limit = number_in(folder + files.limit)) {
      const std::uint64_t used = number_in(folder + files.used).value_or(0);
      // Pages of files that are read count as used, but make way.
      const std::uint64_t reclaimable = number_in(folder + "memory.stat", files.reclaimable).value_or(0);
      const std::uint64_t taken = used - std::min(used, reclaimable);
      amount.total = std::min(amount.total, *limit);
      amount.available = std::min(amount.available, *limit - std::min(*limit, taken));
    }
    if (group.find('/') == std::string::npos) return;
  }
}

}  // namespace

MemoryAmount host_memory(const std::string& root) {
  const std::string meminfo = root + "/proc/meminfo";
  MemoryAmount amount{unlimited, unlimited};
  if (const auto total = number_in(meminfo, "MemTotal:")) amount.total = *total * 1024;
  if (const auto available = number_in(meminfo, "MemAvailable:")) {
    amount.available = *available * 1024;
  } else if (root.empty()) {
    const auto pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    if (pages > 0 && page > 0) amount.available = std::uint64_t(pages) * std::uint64_t(page);
  }

  // Lines "number:controllers:path"; version 2 has number 0 and names no controllers.
  std::ifstream groups(root + "/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1), group = line.substr(second + 1);
    if (controllers.empty()) apply_limits(root, version_2, group, amount);
    if (("," + controllers + ",").find(",memory,") != std::string::npos) apply_limits(root, version_1, group, amount);
  }
  amount.available = std::min(amount.available, amount.total);
  return amount;
}

}  // namespace ashlar
