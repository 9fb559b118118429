#include <algorithm>
#include <ashlar/base/text.hpp>
#include <ashlar/host/processors.hpp>
#include <charconv>
#include <cstddef>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "control_groups.hpp"

#ifdef __linux__
#include <sched.h>

#include <charconv>
#include <filesystem>
#include <string>
#include <system_error>
#endif

namespace ashlar {

namespace {

/// The two numbers of a control group's quota, in microseconds; none where there is no quota.
std::optional<double> quota_of_group(const std::string& folder, int version) {
  std::optional<std::int64_t> quota, period;
  if (version == 1) {
    quota = impl::number_in(folder + "cpu.cfs_quota_us");  // -1: none
    period = impl::number_in(folder + "cpu.cfs_period_us");
  } else {
    // "max 100000" or "50000 100000"
    quota = impl::number_in(folder + "cpu.max");
    if (quota) period = impl::number_in(folder + "cpu.max", text(*quota));
  }
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
  return double(*quota) / double(*period);
}

}  // namespace

double processor_quota(const std::string& root) {
  double least = std::numeric_limits<double>::infinity();
  impl::for_control_groups(root, "cpu", [&](const std::string& folder, int version) {
    least = std::min(least, quota_of_group(folder, version).value_or(least));
  });
  return least;
}

int threads_within_quota(int threads, const std::string& root) {
  const double quota = processor_quota(root);
  return quota < threads ? std::max(1, static_cast<int>(quota)) : threads;
}

#ifdef __linux__

struct Processors::Mask {
  cpu_set_t processors;
};

Processors Processors::of_process() {
  cpu_set_t all;
  CPU_ZERO(&all);
  std::error_code error;
  for (std::filesystem::directory_iterator entry("/proc/self/task", error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename();
    pid_t thread = 0;
    std::from_chars(name.data(), name.data() + name.size(), thread);
    cpu_set_t its;
    // One that has ended meanwhile has none; a machine of more than 1024 processors does not fit.
    if (::sched_getaffinity(thread, sizeof its, &its) == 0) CPU_OR(&all, &all, &its);
  }
  Processors result;
  result.count_ = CPU_COUNT(&all);
  if (result.count_ > 0) result.mask_ = std::make_shared<const Mask>(Mask{all});
  if (result.count_ == 0) result.count_ = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  return result;
}

std::vector<int> Processors::numbers() const {
  std::vector<int> result;
  for (int number = 0; mask_ && number < CPU_SETSIZE; ++number) {
    if (CPU_ISSET(number, &mask_->processors)) result.push_back(number);
  }
  return result;
}

void Processors::take() const noexcept {
  if (mask_) ::sched_setaffinity(0, sizeof mask_->processors, &mask_->processors);
}

#else

struct Processors::Mask {};

Processors Processors::of_process() {
  Processors result;
  result.count_ = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  return result;
}

std::vector<int> Processors::numbers() const { return {}; }

void Processors::take() const noexcept {}

#endif

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("model name", 0) != 0) continue;
    const std::size_t name = line.find_first_not_of(" \t", line.find(':') + 1);
    if (name != std::string::npos) return line.substr(name);
  }
  return "unknown processor";
}

bool is_intel_processor() {
  static const bool is_intel = processor_name().find("Intel") != std::string::npos;
  return is_intel;
}

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
