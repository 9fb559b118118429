#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <Kokkos_Timer.hpp>
#include <ashlar/device/events/event.hpp>
#include <ashlar/device/events/timed_event.hpp>
#include <chrono>
#include <support/message.hpp>
#include <type_traits>
#include <utility>

#include "support/watcher.hpp"

namespace ashlar::testing {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;

static_assert(!std::is_copy_constructible_v<TimedEvent<Exec>> && !std::is_copy_assignable_v<TimedEvent<Exec>>);
static_assert(std::is_nothrow_move_constructible_v<TimedEvent<Exec>> &&
              std::is_nothrow_move_assignable_v<TimedEvent<Exec>>);

using Sink = Kokkos::View<double, Exec::memory_space>;

/// Keeps the instance busy for some hundredths of a second. (To make a view here would wait: so it gets one.)
void spin(const Exec& exec, const Sink& result, int turns = 10000000) {
  Kokkos::parallel_for(
      "test::spin", Kokkos::RangePolicy<Exec>(exec, 0, 1), KOKKOS_LAMBDA(int) {
        double x = 1;
        for (int i = 0; i < turns; ++i) x = 0.999 * x + 1e-3 * double(i % 7);
        result() = x;
      });
}

/// What spin() takes by the host's clock.
double seconds_of_spin(const Exec& exec, const Sink& sink) {
  spin(exec, sink, 1);
  exec.fence();
  Kokkos::Timer timer;
  spin(exec, sink);
  exec.fence();
  return timer.seconds();
}

TEST(TimedEvent, TimesWhatLiesBetweenTwoMarks) {
  const Exec exec = other_instance();
  const Sink sink("test::sink");
  const double one = seconds_of_spin(exec, sink);
  TimedEvent<Exec> begin(exec), middle(exec), end(exec);
  Kokkos::Timer timer;
  begin.record(exec);
  spin(exec, sink);
  middle.record(exec);
  for (int i = 0; i < 3; ++i) spin(exec, sink);
  end.record(exec);
  const double first = middle.seconds_since(begin), others = end.seconds_since(middle);
  const double all = timer.seconds();
  // Of a machine that others use, too: no more than the host saw, and not much less than it takes.
  EXPECT_GT(first, 0.3 * one);
  EXPECT_GT(others, 0.9 * one);
  EXPECT_LE(end.seconds_since(begin), all + 1e-5);
  EXPECT_NEAR(end.seconds_since(begin), first + others, 1e-5);
  EXPECT_NEAR(begin.seconds_since(end), -(first + others), 1e-5);
  EXPECT_EQ(end.seconds_since(end), 0);
}

TEST(TimedEvent, KnowsWhichInstanceWasFirst) {
  const Exec exec, other = other_instance();
  TimedEvent<Exec> first(exec), second(exec);
  const Sink sink("test::sink");
  spin(exec, sink);
  first.record(exec);
  wait_for(other, exec);
  spin(other, sink);
  second.record(other);
  EXPECT_GT(second.seconds_since(first), 0);  // waits for it
}

TEST(TimedEvent, TheHostWaitsOnlyWhereTheBackendHasNoEvents) {
  const Exec exec = other_instance();
  TimedEvent<Exec> event(exec);
  const Watcher watcher;
  event.record(exec);
  if (is_gpu_v<Exec>) {
    EXPECT_THAT(fences(watcher), ::testing::IsEmpty());
  } else {
    EXPECT_THAT(fences(watcher), ::testing::ElementsAre("ashlar::TimedEvent: record"));
    EXPECT_THAT(faults(watcher.seen(), exec, Promise::waits), ::testing::IsEmpty());
  }
}

TEST(TimedEvent, HasTheTimeOfTheHostWhereThatIsTheOnlyClock) {
  const Exec exec;
  TimedEvent<Exec> event(exec);
  const auto before = std::chrono::steady_clock::now();
  event.record(exec);
  const auto after = std::chrono::steady_clock::now();
  ASSERT_EQ(event.host_time().has_value(), !is_gpu_v<Exec>);
  if (event.host_time()) {
    EXPECT_TRUE(before <= *event.host_time() && *event.host_time() <= after);
  }
}

TEST(TimedEvent, MovesWithItsMark) {
  const Exec exec;
  const Sink sink("test::sink");
  TimedEvent<Exec> begin(exec), made(exec);
  begin.record(exec);
  spin(exec, sink);
  made.record(exec);
  const double seconds = made.seconds_since(begin);
  TimedEvent<Exec> moved(std::move(made));
  TimedEvent<Exec> assigned;
  assigned = std::move(moved);
  EXPECT_EQ(assigned.seconds_since(begin), seconds);
  spin(exec, sink);
  assigned.record(exec);
  EXPECT_GT(assigned.seconds_since(begin), seconds);
}

TEST(TimedEvent, RefusesATimeThatNeverWas) {
  TimedEvent<Exec> recorded;
  recorded.record(Exec());
  const TimedEvent<Exec> fresh;
  const auto has_why = ::testing::HasSubstr("one of them was never set");
  EXPECT_THAT(message_of<ArgumentError>([&] { recorded.seconds_since(fresh); }), has_why);
  EXPECT_THAT(message_of<ArgumentError>([&] { fresh.seconds_since(recorded); }), has_why);
}

}  // namespace
}  // namespace ashlar::testing
