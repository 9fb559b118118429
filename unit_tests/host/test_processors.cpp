#include <gtest/gtest.h>

#include <algorithm>
#include <ashlar/host/processors.hpp>
#include <limits>
#include <thread>
#include <vector>

#include "host/fake_root.hpp"

#ifdef __linux__
#include <sched.h>

namespace ashlar::testing {
namespace {

/// Quotas of control groups, as the tests want them.
class ProcessorQuota : public FakeRoot {
 protected:
  double quota() const { return processor_quota(root()); }
  int threads(int asked) const { return threads_within_quota(asked, root()); }
};

TEST_F(ProcessorQuota, IsNoneWhereNothingSaysSo) {
  EXPECT_EQ(quota(), std::numeric_limits<double>::infinity());
  write("proc/self/cgroup", "0::/job\n1:cpu:/job\n");
  write("sys/fs/cgroup/job/cpu.max", "max 100000\n");
  write("sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "-1\n");
  write("sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(quota(), std::numeric_limits<double>::infinity());
  EXPECT_EQ(threads(64), 64);
}

TEST_F(ProcessorQuota, IsTheLeastOfTheGroupAndThoseAboveInVersion2) {
  write("proc/self/cgroup", "0::/batch/job\n");
  write("sys/fs/cgroup/batch/job/cpu.max", "250000 100000\n");
  EXPECT_EQ(quota(), 2.5);
  EXPECT_EQ(threads(2), 2);
  EXPECT_EQ(threads(16), 2);
  write("sys/fs/cgroup/batch/cpu.max", "25000 50000\n");
  EXPECT_EQ(quota(), 0.5);
  EXPECT_EQ(threads(16), 1);
  // Inside a container the group is mounted as the root.
  write("proc/self/cgroup", "0::/\n");
  write("sys/fs/cgroup/cpu.max", "300000 100000\n");
  EXPECT_EQ(threads(16), 3);
}

TEST_F(ProcessorQuota, IsTheLeastOfTheGroupAndThoseAboveInVersion1) {
  write("proc/self/cgroup", "5:cpu,cpuacct:/docker/abc\n3:memory:/x\n");
  write("sys/fs/cgroup/cpu/docker/cpu.cfs_quota_us", "400000\n");
  write("sys/fs/cgroup/cpu/docker/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(quota(), 4);
  write("sys/fs/cgroup/cpu/docker/abc/cpu.cfs_quota_us", "50000\n");
  write("sys/fs/cgroup/cpu/docker/abc/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(quota(), 0.5);
}

cpu_set_t mask_of_this_thread() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  EXPECT_EQ(::sched_getaffinity(0, sizeof mask, &mask), 0);
  return mask;
}

/// A thread that is bound to one processor, as OpenMP's main thread may be, makes one that is not.
TEST(Processors, AreThoseOfAllThreadsEvenWhereTheCallingOneIsBound) {
  const cpu_set_t all = mask_of_this_thread();
  const int count = Processors::of_process().count();
  EXPECT_GE(count, CPU_COUNT(&all));
  const std::vector<int> numbers = Processors::of_process().numbers();
  EXPECT_EQ(int(numbers.size()), Processors::of_process().count());
  for (int number = 0; number < CPU_SETSIZE; ++number) {
    if (!CPU_ISSET(number, &all)) continue;
    EXPECT_TRUE(std::binary_search(numbers.begin(), numbers.end(), number)) << number;
  }
  int count_seen = 0, count_inherited = 0, count_taken = 0;
  std::thread([&] {
    cpu_set_t one;
    CPU_ZERO(&one);
    int first = 0;
    while (!CPU_ISSET(first, &all)) ++first;
    CPU_SET(first, &one);
    ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
    const Processors processors = Processors::of_process();
    count_seen = processors.count();
    std::thread([&] {
      const cpu_set_t inherited = mask_of_this_thread();
      count_inherited = CPU_COUNT(&inherited);
      processors.take();
      const cpu_set_t taken = mask_of_this_thread();
      count_taken = CPU_COUNT(&taken);
    }).join();
  }).join();
  EXPECT_EQ(count_inherited, 1);
  EXPECT_EQ(count_seen, count);
  EXPECT_EQ(count_taken, count);
}

}  // namespace
}  // namespace ashlar::testing
#endif
