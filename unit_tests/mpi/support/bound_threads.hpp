#pragma once

#include <gtest/gtest.h>
#include <sched.h>

#include <charconv>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace ashlar::testing {

/// While it lives all threads of this process may run on one processor alone; then each where it might before. (Linux.)
class BoundThreads {
 public:
  explicit BoundThreads(int processor) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(processor, &one);
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
      const std::string name = entry.path().filename();
      pid_t thread = 0;
      std::from_chars(name.data(), name.data() + name.size(), thread);
      cpu_set_t before;
      if (::sched_getaffinity(thread, sizeof before, &before) != 0) continue;  // it has ended meanwhile
      before_.emplace_back(thread, before);
      EXPECT_EQ(::sched_setaffinity(thread, sizeof one, &one), 0);
    }
  }
  BoundThreads(const BoundThreads&) = delete;
  BoundThreads& operator=(const BoundThreads&) = delete;
  ~BoundThreads() {
    for (const auto& [thread, mask] : before_) ::sched_setaffinity(thread, sizeof mask, &mask);
  }

 private:
  std::vector<std::pair<pid_t, cpu_set_t>> before_;
};

}  // namespace ashlar::testing
