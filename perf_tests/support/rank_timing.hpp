#pragma once

#include <Kokkos_Timer.hpp>
#include <algorithm>
#include <ashlar/comm/communicator.hpp>
#include <cstddef>
#include <functional>
#include <support/timing.hpp>
#include <vector>

namespace ashlar::perf {

/// What all ranks do together, and how each waits until its part has ended.
struct RankWork {
  std::function<void()> run, wait;
};

/// Seconds of one call out of `calls` in a row, on the rank that takes longest. All ranks begin when each has had a
/// call. Collective.
inline double seconds_over_ranks(const Communicator& comm, const RankWork& work, int calls) {
  comm.barrier();
  work.run();
  work.wait();
  const Kokkos::Timer timer;
  for (int k = 0; k < calls; ++k) work.run();
  work.wait();
  return comm.max(timer.seconds() / calls);
}

/// alternating_medians() of what ranks do together: of each sample the time of the rank that takes longest. The same on
/// all ranks. Collective.
inline std::vector<double> alternating_medians(const Communicator& comm, const std::vector<RankWork>& works,
                                               Repetitions repetitions = {}) {
  std::vector<int> calls;
  for (const RankWork& work : works) {
    const double estimate = std::max(seconds_over_ranks(comm, work, 3), 1e-9);
    calls.push_back(std::clamp(static_cast<int>(repetitions.seconds_of_sample / estimate), 1, 10000));
  }
  std::vector<std::vector<double>> seconds(works.size());
  for (int sample = -1; sample < repetitions.samples; ++sample) {
    for (std::size_t turn = 0; turn < works.size(); ++turn) {
      const std::size_t i = (turn + static_cast<std::size_t>(sample + 1)) % works.size();
      const double of_sample = seconds_over_ranks(comm, works[i], calls[i]);
      if (sample >= 0) seconds[i].push_back(of_sample);
    }
  }
  std::vector<double> medians;
  for (auto& of_work : seconds) {
    const auto middle = of_work.begin() + static_cast<std::ptrdiff_t>(of_work.size() / 2);
    std::nth_element(of_work.begin(), middle, of_work.end());
    medians.push_back(*middle);
  }
  return medians;
}

}  // namespace ashlar::perf
