#include "wait.hpp"

#include <thread>

#include "check.hpp"
#include "one_at_a_time.hpp"

namespace ashlar::impl {

namespace {

using Clock = std::chrono::steady_clock;

// A message within a host takes microseconds. Long ones move on at each poll: with sleep after 1 ms, 128 MB took a
// third longer. Who has waited for 10 ms loses little by some 0.1 ms more.
constexpr auto poll_time = std::chrono::microseconds(50);
constexpr auto yield_time = std::chrono::milliseconds(10);
constexpr auto sleep_time = std::chrono::microseconds(20);
constexpr auto for_ever = std::chrono::hours(1000000);

}  // namespace

bool test_all(std::vector<MPI_Request>& requests) {
  const std::lock_guard alone(one_at_a_time);
  int done = 0;
  if (requests.size() == 1) {  // the usual case, and its errors say more
    check_mpi(MPI_Test(requests.data(), &done, MPI_STATUS_IGNORE), "MPI_Test");
  } else {
    const int count = static_cast<int>(requests.size());
    check_mpi(MPI_Testall(count, requests.data(), &done, MPI_STATUSES_IGNORE), "MPI_Testall");
  }
  return done != 0;
}

bool wait_all_for(std::vector<MPI_Request>& requests, std::chrono::milliseconds limit) {
  const Clock::time_point begin = Clock::now();
  while (!test_all(requests)) {
    const auto waited = Clock::now() - begin;
    if (waited > limit) return false;
    if (waited > yield_time) {
      std::this_thread::sleep_for(sleep_time);
    } else if (waited > poll_time) {
      std::this_thread::yield();
    }
  }
  return true;
}

void wait_all(std::vector<MPI_Request>& requests) { wait_all_for(requests, for_ever); }

}  // namespace ashlar::impl
