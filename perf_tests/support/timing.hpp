#pragma once

#include <Kokkos_Core.hpp>
#include <Kokkos_Timer.hpp>
#include <algorithm>
#include <functional>
#include <vector>

namespace ashlar::perf {

/// How often to measure.
struct Repetitions {
  int samples = 15;
  double seconds_of_sample = 0.01;  ///< each sample repeats the work until it takes about this long
};

/// The medians over the samples of the seconds that one call of each work takes on `exec`, after a warm-up.
///
/// Samples alternate: one of each work, then the next of each, beginning with another one. So all of them meet the same
/// weather, on a machine whose memory others use too. A work enqueues on `exec`; a sample fences once, at its end, so
/// that launches overlap as they do in a solver.
template <class Exec>
std::vector<double> alternating_medians(const Exec& exec, const std::vector<std::function<void()>>& works,
                                        Repetitions repetitions = {}) {
  const auto seconds_for = [&](const std::function<void()>& work, int calls) {
    exec.fence("perf::begin");
    Kokkos::Timer timer;
    for (int k = 0; k < calls; ++k) work();
    exec.fence("perf::end");
    return timer.seconds() / calls;
  };
  std::vector<int> calls;
  for (const auto& work : works) {
    seconds_for(work, 1);
    const double estimate = std::max(seconds_for(work, 2), 1e-9);
    calls.push_back(std::clamp(static_cast<int>(repetitions.seconds_of_sample / estimate), 1, 10000));
    seconds_for(work, calls.back());
  }
  std::vector<std::vector<double>> seconds(works.size());
  for (int sample = 0; sample < repetitions.samples; ++sample) {
    for (std::size_t turn = 0; turn < works.size(); ++turn) {
      const std::size_t i = (turn + sample) % works.size();
      // What fits in a cache is to be there, whatever ran before.
      if (calls[i] > 1) works[i]();
      seconds[i].push_back(seconds_for(works[i], calls[i]));
    }
  }
  std::vector<double> medians;
  for (auto& of_work : seconds) {
    std::nth_element(of_work.begin(), of_work.begin() + of_work.size() / 2, of_work.end());
    medians.push_back(of_work[of_work.size() / 2]);
  }
  return medians;
}

}  // namespace ashlar::perf
