#include <gtest/gtest.h>

#include <ashlar/device/memory/available_memory.hpp>
#include <string>

#include "host/fake_root.hpp"

namespace ashlar {

namespace {

class HostMemory : public testing::FakeRoot {
 protected:
  void SetUp() override {
    FakeRoot::SetUp();
    write("proc/meminfo", "MemTotal:       8000 kB\nMemFree:        1000 kB\nMemAvailable:   5000 kB\n");
  }

  MemoryAmount amount() const { return host_memory(root()); }
};

TEST_F(HostMemory, IsWhatTheKernelSaysIsAvailable) {
  EXPECT_EQ(amount().total, 8000u * 1024);
  EXPECT_EQ(amount().available, 5000u * 1024);
}

TEST_F(HostMemory, IsLimitedByControlGroupsOfVersion2) {
  write("proc/self/cgroup", "0::/batch/job\n");
  write("sys/fs/cgroup/batch/job/memory.max", "max\n");
  EXPECT_EQ(amount().available, 5000u * 1024);
  // The group above has the limit; pages of files make way.
  write("sys/fs/cgroup/batch/memory.max", "3000000\n");
  write("sys/fs/cgroup/batch/memory.current", "1000000\n");
  write("sys/fs/cgroup/batch/memory.stat", "anon 700000\ninactive_file 300000\n");
  EXPECT_EQ(amount().total, 3000000u);
  EXPECT_EQ(amount().available, 2300000u);
  write("sys/fs/cgroup/batch/job/memory.max", "400000\n");
  write("sys/fs/cgroup/batch/job/memory.current", "500000\n");
  EXPECT_EQ(amount().available, 0u);
}

TEST_F(HostMemory, IsLimitedByControlGroupsOfVersion1) {
  write("proc/self/cgroup", "5:cpu,cpuacct:/x\n3:memory:/docker/abc\n");
  // Inside a container the group is mounted as the root.
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "2000000\n");
  write("sys/fs/cgroup/memory/memory.usage_in_bytes", "1500000\n");
  EXPECT_EQ(amount().available, 500000u);
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(amount().available, 5000u * 1024);
}

TEST(Memory, OfThisMachineIsSomething) {
  const MemoryAmount host = memory_amount<Kokkos::HostSpace>();
  EXPECT_GT(host.available, 0u);
  EXPECT_LE(host.available, host.total);
  EXPECT_LT(host.total, std::uint64_t(1) << 60) << "neither /proc nor the system call was understood";
  EXPECT_GT(available_bytes<Kokkos::DefaultExecutionSpace::memory_space>(), 0u);
}

TEST(Memory, TooLittleIsSaidInBytes) {
  EXPECT_NO_THROW(require_memory(1000, 1000, "x"));
  try {
    require_memory(5000, 1024, "the matrix");
    FAIL() << "5000 bytes do not fit into 1024";
  } catch (const MemoryError& error) {
    EXPECT_EQ(error.needed(), 5000u);
    EXPECT_EQ(error.available(), 1024u);
    EXPECT_EQ(error.problem(), "the matrix needs 5000 bytes = 4.9 KiB");
    EXPECT_EQ(error.why(), "1024 bytes = 1 KiB are available");
  }
  EXPECT_NO_THROW(require_memory<Kokkos::HostSpace>(1, "a byte"));
  EXPECT_THROW(require_memory<Kokkos::HostSpace>(std::uint64_t(1) << 62, "too much"), MemoryError);
}

}  // namespace

}  // namespace ashlar
