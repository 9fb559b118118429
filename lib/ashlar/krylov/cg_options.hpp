#pragma once

#include <ashlar/krylov/checkpoint.hpp>
#include <ashlar/krylov/monitor.hpp>
#include <ashlar/krylov/stopping.hpp>
#include <cstdint>
#include <limits>

namespace ashlar {

/// How the iterations of CG reach the device.
enum class CgLaunch {
  automatic,   ///< the fastest that the system allows
  one_by_one,  ///< kernel by kernel
  graph,       ///< an interval of iterations as one graph of the device, replayed
  persistent,  ///< an interval of iterations in one kernel, where the operator has one
};

/// When cg() adds a step to x. By one CgLaunch the history has the same bits in all cases, x is the same to rounding.
enum class CgXUpdate {
  automatic,         ///< with_direction where the system is in one part, else under_reduction
  with_direction,    ///< one iteration later, in the pass that turns the direction, which reads it anyway
  under_reduction,   ///< while the reduction of the residual's sums is in flight
  before_reduction,  ///< before those begin: to see what the others are worth
};

/// What all forms of CG may be asked for.
struct CgOptions {
  double rtol = 1e-8;  ///< converged when ||b - A x|| <= max(rtol * ||b||, atol), in the norm below
  double atol = 0;
  ResidualNorm norm = ResidualNorm::unpreconditioned;
  int max_iterations = 10000;
  /// Iterations without progress that end the solve; 0: stagnation_window(); no_stagnation_window: none do.
  int stagnation_window = 0;
  /// Iterations between two convergence checks of the host, at most 1024; 0: as many as are worth one, by the bytes
  /// that they move (1 where the host waits in each iteration as it is). Results do not depend on it.
  int check_interval = 0;
  CgLaunch launch = CgLaunch::automatic;
  /// Of cg() alone: the sums of the other forms are fewer, or run under a product.
  CgXUpdate x_update = CgXUpdate::automatic;
  /// Of cg() alone: device memory that an iteration's kernel may take for a copy of the matrix that moves fewer bytes
  /// (SolveReport::launch tells of it); 0: none. No more than half of what is free, in any case.
  std::uint64_t copy_bytes = std::numeric_limits<std::uint64_t>::max();
  /// Called at each check with the iterations done and ||r|| / ||b||; may stop the solve.
  Monitor monitor = {};
  /// Of cg() alone: what a solve saves of itself, so that another goes on from there.
  CgCheckpoints checkpoints = {};
};

}  // namespace ashlar
