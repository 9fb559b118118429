#include <algorithm>
#include <ashlar/host/last_cache.hpp>
#include <charconv>
#include <fstream>
#include <string>
#include <string_view>

namespace ashlar {

namespace {

std::string line_of(const std::string& path) {
  std::string line;
  std::getline(std::ifstream(path) >> std::ws, line);
  return line;
}

/// The number that a text begins with, 0 where there is none; the text is cut after it.
std::int64_t take_number(std::string_view& text) {
  std::int64_t number = 0;
  text.remove_prefix(std::size_t(std::from_chars(text.data(), text.data() + text.size(), number).ptr - text.data()));
  return number;
}

/// How many processors a list such as "0-3,8-11" names.
std::int64_t count_of_list(std::string_view list) {
  std::int64_t count = 0;
  while (!list.empty()) {
    const std::int64_t first = take_number(list);
    std::int64_t last = first;
    if (list.starts_with('-')) {
      list.remove_prefix(1);
      last = take_number(list);
    }
    count += last - first + 1;
    if (!list.starts_with(',')) break;
    list.remove_prefix(1);
  }
  return count;
}

/// "32768K" in bytes.
std::int64_t size_of(std::string_view text) {
  const std::int64_t number = take_number(text);
  return number * (text.starts_with('K') ? std::int64_t(1) << 10 : text.starts_with('M') ? std::int64_t(1) << 20 : 1);
}

bool is_virtual_machine(const std::string& root) {
  std::ifstream file(root + "/proc/cpuinfo");
  for (std::string line; std::getline(file, line) && !line.empty();) {
    if (line.starts_with("flags")) return (line + " ").find(" hypervisor ") != line.npos;
  }
  return false;
}

struct LastCache {
  std::int64_t bytes = 0, count = 1;  ///< of one, and how many there are
};

LastCache last_cache(const std::string& root) {
  constexpr std::int64_t most_of_virtual_machine = std::int64_t(32) << 20;
  const std::string processors = root + "/sys/devices/system/cpu/";
  LastCache last;
  for (int index = 0;; ++index) {  // by level
    const std::string cache = processors + "cpu0/cache/index" + std::to_string(index) + "/";
    const std::string size = line_of(cache + "size");
    if (size.empty()) break;
    last.bytes = size_of(size);
    const std::int64_t sharing = count_of_list(line_of(cache + "shared_cpu_list"));
    last.count =
        std::max<std::int64_t>(1, count_of_list(line_of(processors + "online")) / std::max<std::int64_t>(1, sharing));
  }
  if (last.bytes > most_of_virtual_machine && is_virtual_machine(root)) last.bytes = most_of_virtual_machine;
  return last;
}

}  // namespace

std::int64_t last_cache_bytes(int threads, const std::string& root) {
  static const LastCache here = last_cache("");
  const LastCache last = root.empty() ? here : last_cache(root);
  return last.bytes * std::min<std::int64_t>(std::max(threads, 1), last.count);
}

}  // namespace ashlar
