#pragma once

#include <ashlar/krylov/monitor.hpp>
#include <ashlar/krylov/stopping.hpp>

namespace ashlar {

/// How iterations reach the device.
enum class Launch {
  automatic,   ///< the fastest that the system allows
  one_by_one,  ///< kernel by kernel
  graph,       ///< an interval of iterations as one graph of the device, replayed
  persistent,  ///< an interval of iterations in one kernel, if the operator has one
};

/// The options of an iterative method that has none of its own. Methods with more have a struct with these and theirs.
struct SolverOptions {
  double rtol = 1e-8;  ///< converged when ||b - A x|| <= max(rtol * ||b||, atol), in the norm below
  double atol = 0;
  ResidualNorm norm = ResidualNorm::unpreconditioned;
  int max_iterations = 10000;
  /// Iterations without progress that end the solve; 0: stagnation_window(); no_stagnation_window: none do.
  int stagnation_window = 0;
  /// Iterations between two convergence checks of the host, at most 1024; 0: chosen from the bytes that they move (1 if
  /// the host waits in each iteration anyway). Results do not depend on it.
  int check_interval = 0;
  Launch launch = Launch::automatic;
  /// Called at each check with the iterations done and ||r|| / ||b||; may stop the solve.
  Monitor monitor = {};
};

}  // namespace ashlar
