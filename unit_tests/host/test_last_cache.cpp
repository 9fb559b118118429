#include <ashlar/host/processors.hpp>

#include "host/fake_root.hpp"

namespace ashlar::testing {
namespace {

constexpr std::int64_t MiB = 1 << 20;

class LastCache : public FakeRoot {
 protected:
  void cache(int index, const std::string& size, const std::string& shared) const {
    const std::string folder = "sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/";
    write(folder + "size", size + "\n");
    write(folder + "shared_cpu_list", shared + "\n");
  }
  std::int64_t bytes(int threads) const { return last_cache_bytes(threads, root()); }
};

TEST_F(LastCache, IsUnknownWhereTheSystemDoesNotSay) { EXPECT_EQ(bytes(4), 0); }

TEST_F(LastCache, IsAsManyAsThreadsCanBeOn) {
  write("sys/devices/system/cpu/online", "0-31\n");
  cache(0, "32K", "0,16");
  cache(1, "32K", "0,16");
  EXPECT_EQ(bytes(1), 32 << 10);
  cache(2, "1024K", "0,16");
  cache(3, "96M", "0-3,16-19");
  EXPECT_EQ(bytes(1), 96 * MiB);
  EXPECT_EQ(bytes(3), 3 * 96 * MiB);
  EXPECT_EQ(bytes(32), 4 * 96 * MiB);
}

TEST_F(LastCache, IsSharedWithOthersInAVirtualMachine) {
  write("sys/devices/system/cpu/online", "0-15\n");
  cache(0, "266240K", "0-15");
  write("proc/cpuinfo", "processor : 0\nflags : fpu hypervisor lahf_lm\n\nprocessor : 1\n");
  EXPECT_EQ(bytes(1), 32 * MiB);
  EXPECT_EQ(bytes(16), 32 * MiB);
  write("proc/cpuinfo", "processor : 0\nflags : fpu lahf_lm\n");
  EXPECT_EQ(bytes(1), 260 * MiB);
}

}  // namespace
}  // namespace ashlar::testing
