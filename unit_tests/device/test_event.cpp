#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <ashlar/device/events/event.hpp>
#include <thread>
#include <type_traits>
#include <utility>

#include "support/spin.hpp"
#include "support/watcher.hpp"

namespace ashlar::testing {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Counter = Kokkos::View<std::int64_t*, Exec::memory_space>;

static_assert(!std::is_copy_constructible_v<Event<Exec>> && !std::is_copy_assignable_v<Event<Exec>>);
static_assert(std::is_nothrow_move_constructible_v<Event<Exec>> && std::is_nothrow_move_assignable_v<Event<Exec>>);

struct Instances {
  Exec first, second;
};

Instances two_instances() {
  const auto parts = Kokkos::Experimental::partition_space(Exec(), 1, 1);
  return {parts[0], parts[1]};
}

/// counter(i) := 3*counter(i) + step, after enough idle turns that work of another instance would overtake it.
void slow_step(const Exec& exec, const Counter& counter, std::int64_t step) {
  Kokkos::parallel_for(
      "test::slow_step", Kokkos::RangePolicy<Exec>(exec, 0, counter.extent(0)), KOKKOS_LAMBDA(int i) {
        const std::int64_t before = counter(i);
        double idle = 1;
        for (int turn = 0; turn < 2000; ++turn) idle = Kokkos::sqrt(idle + 1);
        counter(i) = 3 * before + step + (idle < 0);
      });
}

/// What `steps` steps in turn make of 0.
std::int64_t expected(int steps) {
  std::int64_t value = 0;
  for (int step = 0; step < steps; ++step) value = 3 * value + step;
  return value;
}

std::int64_t checked_value(const Counter& counter) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), counter);
  for (std::size_t i = 1; i < host.extent(0); ++i) EXPECT_EQ(host(i), host(0)) << "entry " << i;
  return host(0);
}

constexpr int size = 100, steps = 20;

TEST(Event, TwoInstancesTakeTurns) {
  const auto [first, second] = two_instances();
  const Counter counter("test::counter", size);
  Event<Exec> event;
  for (int step = 0; step < steps; ++step) {
    const Exec& now = step % 2 == 0 ? first : second;
    slow_step(now, counter, step);
    event.record(now);
    event.wait(step % 2 == 0 ? second : first);
  }
  first.fence();
  second.fence();
  EXPECT_EQ(checked_value(counter), expected(steps));
}

TEST(Event, WaitForOrdersWhatIsEnqueued) {
  const auto [first, second] = two_instances();
  const Counter counter("test::counter", size);
  for (int step = 0; step < steps; ++step) {
    const Exec& now = step % 2 == 0 ? first : second;
    slow_step(now, counter, step);
    wait_for(step % 2 == 0 ? second : first, now);
  }
  first.fence();
  second.fence();
  EXPECT_EQ(checked_value(counter), expected(steps));
}

TEST(Event, TheHostWaitsOnlyWhereTheBackendHasNoEvents) {
  const auto [first, second] = two_instances();
  Event<Exec> event;
  const Watcher watcher;
  event.record(first);
  EXPECT_THAT(fences(watcher), ::testing::IsEmpty());
  event.wait(second);
  if (is_gpu_v<Exec>) {
    EXPECT_THAT(fences(watcher), ::testing::IsEmpty());
  } else if (first != second) {
    EXPECT_THAT(fences(watcher), ::testing::ElementsAre("ashlar::Event: wait"));
    EXPECT_THAT(faults(watcher.seen(), first, Promise::waits), ::testing::IsEmpty());
  }
}

TEST(Event, NeitherTheRecordingInstanceNorAnEventNeverRecordedMakesAnybodyWait) {
  const auto [first, second] = two_instances();
  const Event<Exec> fresh;
  Event<Exec> recorded;
  const Watcher watcher;
  fresh.wait(second);
  recorded.record(first);
  recorded.wait(first);
  EXPECT_THAT(fences(watcher), ::testing::IsEmpty());
}

TEST(Event, MovesWithItsMark) {
  const auto [first, second] = two_instances();
  const Counter counter("test::counter", size);
  Event<Exec> made(first);
  slow_step(first, counter, 0);
  slow_step(first, counter, 1);
  made.record(first);
  Event<Exec> moved(std::move(made));
  Event<Exec> assigned;
  assigned = std::move(moved);
  const Watcher watcher;
  assigned.wait(second);
  EXPECT_EQ(fences(watcher).size(), is_gpu_v<Exec> || first == second ? 0u : 1u);
  slow_step(second, counter, 2);
  second.fence();
  EXPECT_EQ(checked_value(counter), expected(3));
}

class EventOfTheHost : public ::testing::TestWithParam<HostWait> {};

TEST_P(EventOfTheHost, AThreadWaitsForIt) {
  const Exec exec;
  const Kokkos::View<double, Exec::memory_space> spun("test::spun");
  const Kokkos::View<double, Kokkos::SharedHostPinnedSpace> seen("test::seen");
  seen() = 0;
  Event<Exec> event(exec, GetParam());
  event.wait();  // never recorded: no wait
  spin(exec, spun);
  Kokkos::deep_copy(exec, seen, spun);
  event.record(exec);
  double found = 0;
  std::thread([&] {
    event.wait();
    found = seen();
  }).join();
  EXPECT_GT(found, 0);
}

INSTANTIATE_TEST_SUITE_P(Event, EventOfTheHost, ::testing::Values(HostWait::spins, HostWait::sleeps),
                         [](const auto& info) { return info.param == HostWait::spins ? "spins" : "sleeps"; });

}  // namespace
}  // namespace ashlar::testing
