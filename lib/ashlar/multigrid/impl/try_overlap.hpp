#pragma once

#include <algorithm>
#include <ashlar/device/captured_work.hpp>
#include <ashlar/multigrid/level.hpp>
#include <ashlar/multigrid/smoother.hpp>
#include <chrono>
#include <map>
#include <utility>

namespace ashlar::multigrid::impl {

/// Times the smoother on a level, cut and not, and leaves it as is faster on the rank where it takes longest: the same
/// on all ranks. With `graphs`, which all ranks can capture, it is replayed as graphs where cycles are. Collective over
/// the level's. Uses its u, f and temp, and leaves u and temp as zeros.
template <class Exec, class Real>
void try_overlap(const Exec& exec, Level<Exec, Real>& level, Smoother smoother, bool graphs) {
  constexpr double seconds_of_batch = 5e-4;
  constexpr int most_of_batch = 4;
  PhaseTimes* const times = std::exchange(level.times, nullptr);  // whoever takes them waits in between
  const auto smooth_once = [&] { smooth(exec, level, smoother, level.u, level.f); };
  const bool captures = graphs && level.fill_for_operator.is_stream_ordered();
  std::map<Overlap, CapturedWork<Exec>> captured;
  // (What is captured has run once before.)
  const auto prepare = [&](Overlap overlap) {
    level.comm->together([&] { level.set_overlap(exec, overlap); });
    smooth_once();
    if (captures) {
      level.comm->together([&] { captured.try_emplace(overlap, exec, smooth_once); });
      captured.at(overlap).replay(exec);
    }
    exec.fence("ashlar::multigrid: an overlap is to be tried");
  };
  const auto seconds_of = [&](Overlap overlap, int count) {
    level.comm->together([&] { level.set_overlap(exec, overlap); });
    const auto begin = std::chrono::steady_clock::now();
    for (int k = 0; k < count; ++k) captures ? captured.at(overlap).replay(exec) : smooth_once();
    exec.fence("ashlar::multigrid: an overlap is tried");
    return level.comm->max(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / count);
  };
  prepare(Overlap::on);
  prepare(Overlap::off);
  const double estimate = std::max(seconds_of(Overlap::off, 1), 1e-9);
  const int count = std::clamp(static_cast<int>(seconds_of_batch / estimate), 1, most_of_batch);
  OverlapTimes taken{seconds_of(Overlap::on, count), seconds_of(Overlap::off, count)};
  for (int turn = 0; turn < 2; ++turn) {
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
