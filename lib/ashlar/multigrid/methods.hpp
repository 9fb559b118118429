#pragma once

#include <Kokkos_Core.hpp>
#include <array>
#include <ashlar/base/concepts.hpp>
#include <ashlar/comm/communicator.hpp>
#include <cstddef>
#include <string_view>
#include <vector>

namespace ashlar::multigrid {

/// Finite volumes of order 2 (7 points) and of order 4 (25 points); unknowns are averages over cells.
enum class Discretisation { fv2, fv4 };
/// -div(beta grad u) = f, or alpha u - div(beta grad u) = f.
enum class Equation { poisson, helmholtz };
enum class Smoother { gsrb, chebyshev, jacobi };
inline constexpr std::array all_smoothers{Smoother::gsrb, Smoother::chebyshev, Smoother::jacobi};
/// A smoothing, or its adjoint.
enum class SmoothingOrder { forth, back };
/// V-cycles from zero; one F-cycle; one F-cycle and V-cycles after it.
enum class Cycle { f, v, fv };
/// A level over ranks may compute cells while its messages are on their way, in the blocking mode only.
/// With `automatic` set-up measures which is faster. The bits are the same.
enum class Overlap { automatic, on, off };
/// How fv4 computes the fluxes into cells. By cells, a thread takes a cell, or on CPUs a tile of rows. By planes, a
/// team of threads goes through the planes of a tile and reads each value from memory about once. The bits are the
/// same. fv2 sweeps in place and by cells.
enum class SweepForm { automatic, cells, planes };

std::string_view to_string(Discretisation discretisation);
std::string_view to_string(Equation equation);
std::string_view to_string(Smoother smoother);
std::string_view to_string(Cycle cycle);
std::string_view to_string(Overlap overlap);
std::string_view to_string(SweepForm form);

/// The reach of the operator in cells, and the number of ghost cells around each box.
constexpr int reach_of(Discretisation discretisation) { return discretisation == Discretisation::fv2 ? 1 : 2; }

/// The work of a cycle on a level. The whole solver of the coarsest level is `bottom`. Small levels that run as one
/// kernel are `one_kernel` of the level where it begins.
enum class Phase { smooth, residual, exchange, restriction, interpolation, bottom, one_kernel };
inline constexpr std::size_t num_phases = 7;
inline constexpr std::array all_phases{Phase::smooth,        Phase::residual, Phase::exchange,  Phase::restriction,
                                       Phase::interpolation, Phase::bottom,   Phase::one_kernel};

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
