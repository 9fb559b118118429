#pragma once

#include <Kokkos_Core.hpp>
#include <Kokkos_Timer.hpp>
#include <algorithm>
#include <vector>

namespace ashlar::perf {

/// How often to measure.
struct Repetitions {
  int samples = 15;
  double seconds_of_sample = 0.01;  ///< each sample repeats the work until it takes about this long
};

/// The median over the samples of the seconds that one call of work() takes on `exec`, after a warm-up.
///
/// work() enqueues on `exec`. A sample fences once, at its end, so that launches overlap as they do in a solver.
template <class Exec, class Work>
double median_seconds(const Exec& exec, const Work& work, Repetitions repetitions = {}) {
  const auto seconds_for = [&](int calls) {
    exec.fence("perf::begin");
    Kokkos::Timer timer;
    for (int k = 0; k < calls; ++k) work();
    exec.fence("perf::end");
    return timer.seconds() / calls;
  };
  seconds_for(1);
  const double estimate = std::max(seconds_for(2), 1e-9);
  const int calls = std::clamp(static_cast<int>(repetitions.seconds_of_sample / estimate), 1, 10000);
  seconds_for(calls);
  std::vector<double> seconds;
  for (int k = 0; k < repetitions.samples; ++k) seconds.push_back(seconds_for(calls));
  std::nth_element(seconds.begin(), seconds.begin() + seconds.size() / 2, seconds.end());
  return seconds[seconds.size() / 2];
}

}  // namespace ashlar::perf
