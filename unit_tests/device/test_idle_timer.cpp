// How long an instance has nothing to do while the host waits, as marks in its work tell.
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <Kokkos_Timer.hpp>
#include <ashlar/device/events/timed_event.hpp>
#include <chrono>
#include <stdexcept>
#include <support/spin.hpp>
#include <thread>

#include "support/watcher.hpp"

namespace ashlar::testing {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using std::chrono::milliseconds;

TEST(IdleTimer, CountsWaitsThatNoWorkIsUnder) {
  const Exec exec = other_instance();
  IdleTimer<Exec> idle;
  EXPECT_EQ(idle.seconds(), 0);
  const Kokkos::Timer timer;
  idle.during(exec, [] { std::this_thread::sleep_for(milliseconds(20)); });
  const double seconds = idle.seconds();
  EXPECT_GT(seconds, 0.018);
  EXPECT_LE(seconds, timer.seconds());
  EXPECT_EQ(idle.seconds(), seconds);
}

TEST(IdleTimer, DoesNotCountTheWorkFromBefore) {
  const Exec exec = other_instance();
  const Kokkos::View<double, Exec::memory_space> sink("test::sink");
  const auto work = [&] {
    for (int i = 0; i < 4; ++i) spin(exec, sink);
  };
  work();
  exec.fence("test: once");
  const Kokkos::Timer timer;
  work();
  exec.fence("test: work");
  const double busy = timer.seconds();
  IdleTimer<Exec> idle;
  work();
  idle.during(exec, [&] { exec.fence("test: the host waits"); });
  EXPECT_LT(idle.seconds(), 0.5 * busy);
}

TEST(IdleTimer, AddsManyWaits) {
  const Exec exec = other_instance();
  IdleTimer<Exec> idle;
  constexpr int waits = 100;
  for (int i = 0; i < waits; ++i) {
    idle.during(exec, [] { std::this_thread::sleep_for(milliseconds(1)); });
    if (i % 10 == 0) idle.seconds();
  }
  EXPECT_GT(idle.seconds(), 0.9e-3 * waits);
}

TEST(IdleTimer, ForgetsAWaitThatFails) {
  const Exec exec = other_instance();
  IdleTimer<Exec> idle;
  EXPECT_THROW(idle.during(exec, [] { throw std::runtime_error("test"); }), std::runtime_error);
  EXPECT_EQ(idle.seconds(), 0);
}

}  // namespace
}  // namespace ashlar::testing
