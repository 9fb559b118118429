#pragma once

#include <Kokkos_Core.hpp>
#include <array>
#include <ashlar/base/concepts.hpp>
#include <ashlar/comm/communicator.hpp>
#include <cstddef>
#include <string_view>
#include <vector>

namespace ashlar::multigrid {

/// What a cycle does on a level. All of the coarsest level's solver is `bottom`; a visit of small levels that is one
/// kernel is `visit` of the level where it begins.
enum class Phase { smooth, residual, exchange, restriction, interpolation, bottom, visit };
inline constexpr std::size_t num_phases = 7;
inline constexpr std::array all_phases{Phase::smooth,        Phase::residual, Phase::exchange, Phase::restriction,
                                       Phase::interpolation, Phase::bottom,   Phase::visit};

/// "smooth", "residual", ...
std::string_view to_string(Phase phase);

/// Seconds by level and phase. Whoever measures them waits for the device around each phase: a solve that is timed so
/// takes longer than one that is not.
class PhaseTimes {
 public:
  explicit PhaseTimes(std::size_t num_levels) : seconds_(num_levels) {}

  double of(std::size_t level, Phase phase) const { return seconds_[level][std::size_t(phase)]; }

  /// Calls work(), and adds the time that it takes; within the bottom solver nothing else is told apart.
  template <execution_space Exec, class Work>
  void run(const Exec& exec, std::size_t level, Phase phase, const Work& work) {
    if (is_at_bottom_) return work();
    is_at_bottom_ = phase == Phase::bottom;
    exec.fence("ashlar::multigrid: before a timed phase");
    const Kokkos::Timer timer;
    work();
    exec.fence("ashlar::multigrid: a timed phase");
    seconds_[level][std::size_t(phase)] += timer.seconds();
    is_at_bottom_ = false;
  }

  /// Makes each the time of the rank that took the longest for it. Collective.
  void take_slowest(const Communicator& comm);

 private:
  std::vector<std::array<double, num_phases>> seconds_;
  bool is_at_bottom_ = false;
};

}  // namespace ashlar::multigrid
