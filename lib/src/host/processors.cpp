#include <algorithm>
#include <ashlar/base/text.hpp>
#include <ashlar/host/processors.hpp>
#include <limits>
#include <optional>
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

}  // namespace ashlar
