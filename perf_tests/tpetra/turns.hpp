#pragma once

#include <time.h>

#include <Kokkos_Core.hpp>
#include <Kokkos_Timer.hpp>
#include <cstddef>
#include <functional>
#include <support/median.hpp>
#include <support/types.hpp>
#include <vector>

namespace ashlar::perf {

/// Seconds since whenever: those of the processor that this thread had, as others may use the machine; where a product
/// has more threads than this one, those that went by.
inline double turn_seconds(const Exec& exec) {
  static const Kokkos::Timer timer;
  exec.fence("perf::turn");
  if (exec.concurrency() > 1) return timer.seconds();
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

/// The median seconds of each work over so many rounds, and last those of before(), which is called before each. In a
/// round each work has a turn, beginning with another one.
template <class Before>
std::vector<double> medians_in_turns(const Exec& exec, const std::vector<std::function<void()>>& works, int rounds,
                                     const Before& before) {
  const auto seconds_of = [&exec](const auto& work) {
    const double begin = turn_seconds(exec);
    work();
    return turn_seconds(exec) - begin;
  };
  std::vector<std::vector<double>> seconds(works.size() + 1);
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t turn = 0; turn < works.size(); ++turn) {
      const std::size_t i = (turn + std::size_t(round)) % works.size();
      seconds.back().push_back(seconds_of([&] { before(i); }));
      seconds[i].push_back(seconds_of(works[i]));
    }
  }
  std::vector<double> result;
  for (const auto& of_work : seconds) result.push_back(median(of_work));
  return result;
}

}  // namespace ashlar::perf
