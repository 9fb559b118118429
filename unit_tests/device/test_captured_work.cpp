// Work that is captured once and replayed: the same work each time, and nothing when it is captured.
#include <gtest/gtest.h>

#include <ashlar/device/graphs/captured_work.hpp>
#include <ashlar/device/teams/team_sums.hpp>
#include <cstdint>
#include <support/compare.hpp>
#include <utility>

namespace ashlar::testing {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Space = Exec::memory_space;

// nvcc takes no device lambda in a test's body.

/// counter := counter + 1, and total := 10,000 times that.
void count_and_sum(const Exec& exec, const Kokkos::View<double*, Space>& counter, const TeamSums<Space>& scratch,
                   const Kokkos::View<double*, Space>& total) {
  Kokkos::parallel_for(
      "test::count", Kokkos::RangePolicy<Exec>(exec, 0, 1), KOKKOS_LAMBDA(int) { counter(0) += 1; });
  sum_over_entries<1>(
      "test::sum", exec, 10'000, scratch.access(), {total.data()},
      KOKKOS_LAMBDA(std::int64_t, double(&sum)[1]) { sum[0] += counter(0); });
}

TEST(CapturedWork, RunsOnceForEachReplay) {
  const Exec exec = Kokkos::Experimental::partition_space(Exec(), 1)[0];
  const Kokkos::View<double*, Space> counter("counter", 1), total("total", 1);
  const TeamSums<Space> scratch(exec);
  const auto enqueue = [&] { count_and_sum(exec, counter, scratch, total); };
  enqueue();
  exec.fence();
  CapturedWork<Exec> work(exec, enqueue);
  EXPECT_EQ(work.is_captured(), CapturedWork<Exec>::can_capture(exec));
  EXPECT_EQ(to_host(counter)[0], 1) << "capturing runs nothing";
  CapturedWork<Exec> moved(std::move(work));
  for (int k = 0; k < 5; ++k) moved.replay(exec);
  exec.fence();
  EXPECT_EQ(to_host(counter)[0], 6);
  EXPECT_EQ(to_host(total)[0], 60'000);
}

TEST(CapturedWork, TellsItsPartsOfCaptureAndReplays) {
  const Exec exec = Kokkos::Experimental::partition_space(Exec(), 1)[0];
  const Kokkos::View<double*, Space> counter("counter", 1), total("total", 1);
  const TeamSums<Space> scratch(exec);
  int runs = 0, replays = 0;
  std::uint64_t number = 0;
  const auto enqueue = [&] {
    count_and_sum(exec, counter, scratch, total);
    ++runs;
    Capture<Exec>* const capture = Capture<Exec>::current();
    if (capture == nullptr) return;
    EXPECT_NE(std::exchange(number, capture->number()), capture->number());
    capture->at_replay([&](const Exec& on) {
      EXPECT_EQ(on, exec);
      EXPECT_EQ(Capture<Exec>::current(), nullptr);
      ++replays;
    });
  };
  enqueue();
  EXPECT_EQ(number, 0U);
  for (int captures = 1; captures <= 2; ++captures) {
    runs = replays = 0;
    const CapturedWork<Exec> work(exec, enqueue);
    EXPECT_EQ(number > 0, work.is_captured());
    EXPECT_EQ(replays, 0);
    for (int k = 0; k < 3; ++k) work.replay(exec);
    EXPECT_EQ(replays, work.is_captured() ? 3 : 0);
    EXPECT_EQ(runs, work.is_captured() ? 1 : 3);
  }
  exec.fence();
  EXPECT_EQ(to_host(counter)[0], 7);
}

}  // namespace
}  // namespace ashlar::testing
