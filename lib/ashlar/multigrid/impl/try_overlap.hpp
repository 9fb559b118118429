#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/multigrid/level.hpp>
#include <ashlar/multigrid/methods.hpp>
#include <ashlar/multigrid/smoother.hpp>
#include <chrono>
#include <utility>

namespace ashlar::multigrid::impl {

/// Times the smoother on a level that may be cut, cut and not, and leaves it as is faster on the rank where it takes
/// longest: the same on all ranks. Collective over the level's. Uses its u, f and temp, and leaves u and temp as zeros.
template <class Exec, class Real>
void try_overlap(const Exec& exec, Level<Exec, Real>& level, Smoother smoother) {
  constexpr double seconds_of_batch = 5e-4;
  constexpr int most_of_batch = 4;
  PhaseTimes* const times = std::exchange(level.times, nullptr);  // which would wait in between
  const auto seconds_of = [&](Overlap overlap, int count) {
    level.comm->together([&] { level.set_overlap(exec, overlap); });
    const auto begin = std::chrono::steady_clock::now();
    for (int k = 0; k < count; ++k) smooth(exec, level, smoother, level.u, level.f);
    exec.fence("ashlar::multigrid: an overlap is tried");
    return level.comm->max(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / count);
  };
  for (const Overlap overlap : {Overlap::on, Overlap::off}) seconds_of(overlap, 1);  // the first launches take longer
  const double estimate = std::max(seconds_of(Overlap::off, 1), 1e-9);
  const int count = std::clamp(static_cast<int>(seconds_of_batch / estimate), 1, most_of_batch);
  OverlapTimes taken{seconds_of(Overlap::on, count), seconds_of(Overlap::off, count)};
  for (int repeat = 0; repeat < 2; ++repeat) {
    taken.with = std::min(taken.with, seconds_of(Overlap::on, count));
    taken.without = std::min(taken.without, seconds_of(Overlap::off, count));
  }
  level.set_overlap(exec, taken.with < taken.without ? Overlap::on : Overlap::off);
  level.overlap_times = taken;
  level.times = times;
  Kokkos::deep_copy(exec, level.u, 0.0);
  Kokkos::deep_copy(exec, level.temp, 0.0);
}

}  // namespace ashlar::multigrid::impl
