#pragma once

#include <ashlar/krylov/checkpoint.hpp>
#include <ashlar/krylov/monitor.hpp>
#include <ashlar/krylov/solver_options.hpp>
#include <ashlar/krylov/stopping.hpp>
#include <cstdint>
#include <limits>

namespace ashlar {

using CgLaunch = Launch;

/// When cg() adds a step to x. By one CgLaunch the history has the same bits in all cases, x is the same to rounding.
enum class CgXUpdate {
  automatic,         ///< with_direction where the system is in one part, else under_reduction
  with_direction,    ///< one iteration later, in the pass that turns the direction, which reads it anyway
  under_reduction,   ///< while the reduction of the residual's sums is in flight
  before_reduction,  ///< before those begin: to see what the others are worth
};

/// The options of all forms of CG: the members of SolverOptions, where they are described, and three more.
struct CgOptions {
  double rtol = 1e-8;
  double atol = 0;
  ResidualNorm norm = ResidualNorm::unpreconditioned;
  int max_iterations = 10000;
  int stagnation_window = 0;
  int check_interval = 0;
  CgLaunch launch = CgLaunch::automatic;
  /// For cg() alone: the other forms have fewer sums, or sums that run under a product.
  CgXUpdate x_update = CgXUpdate::automatic;
  /// For cg() alone: device memory that an iteration's kernel may take for a copy of the matrix that moves fewer bytes
  /// (SolveReport::launch tells of it); 0: none. No more than half of what is free, in any case.
  std::uint64_t copy_bytes = std::numeric_limits<std::uint64_t>::max();
  Monitor monitor = {};
  /// For cg() alone: the state that a solve saves, from which another one resumes.
  CgCheckpoints checkpoints = {};
};

}  // namespace ashlar
