#pragma once

#include <cstdint>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

// The limits that control groups (containers, batch jobs) set on the resources of this process.

namespace ashlar::impl {

/// The number after `key` in a file of lines "key number ..."; an empty key takes the first number of the file. Nothing
/// where there is no number there ("max": no limit) or no file.
inline std::optional<std::int64_t> number_in(const std::string& path, const std::string& key = "") {
  std::ifstream file(path);
  file.imbue(std::locale::classic());
  std::string word;
  std::int64_t number = 0;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    words.imbue(std::locale::classic());
    if (!key.empty() && (!(words >> word) || word != key)) continue;
    if (words >> number) return number;
    return std::nullopt;
  }
  return std::nullopt;
}

/// use(folder, version) for the control groups that this process is in and that may limit what `controller` counts, and
/// for all groups above them. Version 1 has a tree for each controller, version 2 one for all. `root` stands before
/// /proc and /sys.
template <class Use>
void for_control_groups(const std::string& root, const std::string& controller, const Use& use) {
  // Lines "number:controllers:path"; version 2 has number 0 and names no controllers.
  std::ifstream groups(root + "/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const int version = controllers.empty() ? 2 : 1;
    if (version == 1 && ("," + controllers + ",").find("," + controller + ",") == std::string::npos) continue;
    const std::string mount = root + "/sys/fs/cgroup" + (version == 1 ? "/" + controller : "");
    // Inside a container the group is mounted as the root: some of these folders are not there.
    for (std::string group = line.substr(second + 1);; group.erase(group.find_last_of('/'))) {
      if (!group.empty() && group.back() == '/') group.pop_back();
      use(mount + group + "/", version);
      if (group.find('/') == std::string::npos) break;
    }
  }
}

}  // namespace ashlar::impl
