// Scratch memory with a piece for each execution-space instance.
#include <gmock/gmock.h>

#include <ashlar/device/memory/instance_scratch.hpp>
#include <set>
#include <support/instances.hpp>
#include <support/watcher.hpp>
#include <thread>
#include <vector>

namespace ashlar::testing {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Scratch = InstanceScratch<Exec::memory_space>;

TEST(InstanceScratch, HasAPieceForEachInstance) {
  const auto [one, other] = two_instances();
  const Scratch scratch("test::scratch", 1000);
  EXPECT_EQ(scratch.num_pieces(), 0u);
  char* const of_one = scratch.of(one);
  char* const of_other = scratch.of(other);
  char* const of_default = scratch.of(Exec());
  EXPECT_EQ((std::set{of_one, of_other, of_default}).size(), 3u);
  EXPECT_FALSE(of_one == nullptr || of_other == nullptr || of_default == nullptr);
  // The same each time, of copies of both, too.
  const Exec same = one;
  EXPECT_EQ(scratch.of(same), of_one);
  const Scratch copy = scratch;
  EXPECT_EQ(copy.of(other), of_other);
  EXPECT_EQ(copy.of(Exec()), of_default);
  EXPECT_EQ(scratch.num_pieces(), 3u);
}

TEST(InstanceScratch, HasPiecesApart) {
  constexpr std::ptrdiff_t bytes = 1000;
  const Scratch scratch("test::scratch", bytes);
  for (const Exec& each : two_instances()) {
    const std::ptrdiff_t between = scratch.of(each) - scratch.of(Exec());
    EXPECT_TRUE(between >= bytes || between <= -bytes);
  }
}

TEST(InstanceScratch, AllocatesForWhoAsksFirstAlone) {
  const auto [one, other] = two_instances();
  const Scratch scratch("test::scratch", 1000);
  scratch.of(one);
  {
    const Watcher watcher;
    scratch.of(one);
    EXPECT_THAT(watcher.seen(), ::testing::IsEmpty());
  }
  const Watcher watcher;
  scratch.of(other);
  EXPECT_THAT(allocations(watcher), ::testing::ElementsAre("test::scratch"));
}

TEST(InstanceScratch, OfNothingHasNoPieces) {
  EXPECT_EQ(Scratch().of(Exec()), nullptr);
  EXPECT_EQ(Scratch().num_pieces(), 0u);
}

TEST(InstanceScratch, MayBeAskedByManyThreadsAtOnce) {
  const auto instances = two_instances();
  const Scratch scratch("test::scratch", 64);
  constexpr int count = 8;
  std::vector<char*> found(count);
  std::vector<std::thread> threads;
  for (int t = 0; t < count; ++t) {
    threads.emplace_back([&, t] {
      for (int round = 0; round < 200; ++round) found[t] = scratch.of(instances[t % 2]);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(scratch.num_pieces(), 2u);
  for (int t = 0; t < count; ++t) EXPECT_EQ(found[t], scratch.of(instances[t % 2]));
}

}  // namespace
}  // namespace ashlar::testing
