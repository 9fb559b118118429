#include <gtest/gtest.h>

#include <algorithm>
#include <ashlar/host/processors.hpp>
#include <thread>
#include <vector>

#ifdef __linux__
#include <sched.h>

namespace ashlar::testing {
namespace {

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
