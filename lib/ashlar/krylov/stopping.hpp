#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/krylov/report.hpp>
#include <cstdint>
#include <limits>

// When solvers end: the same for all of them, on the host and on the device. Norms are 2-norms over all parts, in the
// units of b.

namespace ashlar {

/// ||b - A x|| that counts as converged: the larger of both tolerances.
inline double target_residual(double rtol, double atol, double norm_b) { return std::max(rtol * norm_b, atol); }

/// ||r|| of a recurrence below which rounding does not let x follow: nothing is left to gain. eps is that of the
/// vectors.
inline double residual_floor(double eps, double norm_b) { return eps * eps * norm_b; }

/// Iterations without a new smallest residual that count as stagnation: those asked for, or where that is 0 the larger
/// of 2000 and the number of unknowns of all parts. (Ill-conditioned matrices rest for long on plateaus; without
/// rounding CG would be done after as many iterations as there are unknowns.)
inline int stagnation_window(int asked, std::int64_t num_global) {
  if (asked > 0) return asked;
  return static_cast<int>(std::clamp<std::int64_t>(num_global, 2000, std::numeric_limits<int>::max()));
}

/// Throws ArgumentError where a number is out of range; `solver` is named in the message.
inline void check_stopping(const char* solver, double rtol, double atol, int max_iterations, int window = 0,
                           int interval = 0) {
  if (!(rtol >= 0) || !(atol >= 0)) {
    throw ArgumentError(text(solver, ": tolerances rtol ", rtol, ", atol ", atol), "a tolerance is not negative",
                        "pass for instance rtol 1e-8");
  }
  if (max_iterations < 0 || window < 0 || interval < 0) {
    throw ArgumentError(text(solver, ": max_iterations ", max_iterations, ", stagnation_window ", window,
                             ", check_interval ", interval),
                        "they count iterations", "pass positive numbers");
  }
}

/// When an iteration ends.
struct StoppingLimits {
  double target = 0;  ///< target_residual()
  double floor = 0;   ///< residual_floor()
  int window = 0;     ///< stagnation_window()
  int max_iterations = 0;
};

/// How far an iteration has come.
struct Progress {
  SolveStatus status = SolveStatus::running;
  int iterations = 0;
  int best_iteration = 0;
  double best = 0;  ///< the smallest ||r|| so far, and when
  double last = 0;  ///< ||r|| now

  /// Where an iteration begins, or begins again: at a residual of this norm.
  KOKKOS_INLINE_FUNCTION void begin(double norm, const StoppingLimits& limits) {
    best = last = norm;
    best_iteration = iterations;
    status = !Kokkos::isfinite(norm)               ? SolveStatus::non_finite
             : norm <= limits.target               ? SolveStatus::converged
             : iterations >= limits.max_iterations ? SolveStatus::iteration_limit
                                                   : SolveStatus::running;
  }

  /// Counts an iteration that left a residual of this norm, and judges it. The limit is looked at last.
  KOKKOS_INLINE_FUNCTION void advance(double norm, const StoppingLimits& limits) {
    ++iterations;
    last = norm;
    if (norm < best) {
      best = norm;
      best_iteration = iterations;
    }
    if (!Kokkos::isfinite(norm)) {
      status = SolveStatus::non_finite;
    } else if (norm <= limits.target) {
      status = SolveStatus::converged;
    } else if (norm <= limits.floor || iterations - best_iteration >= limits.window) {
      status = SolveStatus::stagnation;
    } else if (iterations >= limits.max_iterations) {
      status = SolveStatus::iteration_limit;
    }
  }
};

}  // namespace ashlar
