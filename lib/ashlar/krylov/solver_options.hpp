#pragma once

#include <ashlar/krylov/checkpoint.hpp>
#include <ashlar/krylov/stopping.hpp>
#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <type_traits>
#include <utility>

namespace ashlar {

/// A monitor's request to the solve that it watches.
enum class MonitorAction { proceed, stop };

/// A function that a solver calls at each convergence check, with the iterations done and the relative residual.
///
/// It returns nothing, or a MonitorAction: a monitor that returns `stop` ends the solve with SolveStatus::interrupted,
/// and x is the iterate that the report tells of. Over ranks every rank has a monitor of the same kind; one that
/// returns `stop` on any rank ends the solve on all of them.
class Monitor {
 public:
  Monitor() = default;

  /// Empty if `function` is, as a std::function may be.
  template <class F>
  requires std::invocable<F&, int, double> &&(!std::same_as<std::remove_cvref_t<F>, Monitor>)
      Monitor(F function) {  // NOLINT(google-explicit-constructor): a lambda is a monitor
    using Result = std::invoke_result_t<F&, int, double>;
    if constexpr (requires { static_cast<bool>(function); } && !std::is_pointer_v<F> &&
                  std::is_constructible_v<F, std::nullptr_t>) {
      if (!static_cast<bool>(function)) return;
    }
    if constexpr (std::is_same_v<Result, MonitorAction>) {
      may_stop_ = true;
      function_ = std::move(function);
    } else {
      static_assert(std::is_void_v<Result>, "ashlar::Monitor: a monitor returns nothing, or a MonitorAction");
      function_ = [f = std::move(function)](int iterations, double residual) mutable {
        f(iterations, residual);
        return MonitorAction::proceed;
      };
    }
  }

  explicit operator bool() const { return static_cast<bool>(function_); }

  /// True if it may return `stop`. Solvers then wait for its answer before they enqueue more iterations.
  bool may_stop() const { return may_stop_; }

  /// The monitor of a step of a longer solve, which begins after so many iterations, at such a residual.
  Monitor seen_from(int iterations, double residual) const {
    Monitor monitor;
    monitor.may_stop_ = may_stop_;
    monitor.function_ = [whole = function_, iterations, residual](int done, double of_step) {
      return whole(iterations + done, of_step * residual);
    };
    return monitor;
  }

  /// Calls the monitor, and returns true if it wants to stop; an empty monitor never does.
  bool wants_stop(int iterations, double residual) const {
    return function_ && function_(iterations, residual) == MonitorAction::stop;
  }

 private:
  std::function<MonitorAction(int, double)> function_;
  bool may_stop_ = false;
};

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
  /// (SolveReport::launch reports it); 0: none. It never takes more than half of the free memory.
  std::uint64_t copy_bytes = std::numeric_limits<std::uint64_t>::max();
  Monitor monitor = {};
  /// For cg() alone: the state that a solve saves, from which another one resumes.
  CgCheckpoints checkpoints = {};
};

}  // namespace ashlar
