#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/krylov/report.hpp>
#include <cstdint>
#include <limits>
#include <string_view>

// When solvers end: the same for all of them, on the host and on the device. Norms are over all parts. Comparisons that
// decide come after a test by bits (is_finite): with -ffast-math any comparison with NaN may be true.

namespace ashlar {

/// The norm of the residual r = b - A x that is compared with the tolerance, relative to the same norm of b.
enum class ResidualNorm {
  unpreconditioned,  ///< ||r||, the 2-norm
  preconditioned,    ///< ||M^-1 r||: near the error if M is near A; rows of any size count alike
  natural            ///< sqrt(r^H M^-1 r): near the energy norm of the error, which CG makes small
};

/// "natural": the name in options and reports.
std::string_view to_string(ResidualNorm norm);

/// The norm of b - A x that counts as converged: the larger of both tolerances.
inline double target_residual(double rtol, double atol, double norm_b) { return std::max(rtol * norm_b, atol); }

/// The ||r|| of a recurrence below which rounding keeps x from following: further iterations gain nothing. eps is the
/// precision of the vectors.
inline double residual_floor(double eps, double norm_b) { return eps * eps * norm_b; }

/// A stagnation_window that never ends a solve.
inline constexpr int no_stagnation_window = std::numeric_limits<int>::max();

/// Iterations without progress that count as stagnation: the number asked for, or if that is 0 the larger of 2000 and
/// the number of unknowns of all parts, as many as CG takes without rounding. Progress is a new smallest residual, or a
/// step that lowers the energy norm of the error: the residual of an ill-conditioned system rises for thousands of
/// iterations while x improves.
inline int stagnation_window(int asked, std::int64_t num_global) {
  if (asked > 0) return asked;
  return static_cast<int>(std::clamp<std::int64_t>(num_global, 2000, std::numeric_limits<int>::max()));
}

/// Throws ArgumentError where a number is out of range; `solver` is named in the message.
inline void check_stopping(const char* solver, double rtol, double atol, int max_iterations, int window = 0,
                           int interval = 0) {
  if (!is_finite(rtol) || rtol < 0 || !is_finite(atol) || atol < 0) {
    throw ArgumentError(text(solver, ": tolerances rtol ", rtol, ", atol ", atol),
                        "a tolerance is a number that is not negative", "pass for instance rtol 1e-8");
  }
  if (max_iterations < 0 || window < 0 || interval < 0) {
    throw ArgumentError(text(solver, ": max_iterations ", max_iterations, ", stagnation_window ", window,
                             ", check_interval ", interval),
                        "they count iterations", "pass positive numbers");
  }
}

/// When an iteration ends.
struct StoppingLimits {
  ResidualNorm norm = ResidualNorm::unpreconditioned;
  int window = 0;  ///< stagnation_window()
  int max_iterations = 0;
  double target = 0;  ///< target_residual()
  double floor = 0;   ///< residual_floor()
  /// The iteration ends, too, when the norm has fallen to this part of the norm at its start: then the true residual is
  /// due. 0: at the target alone.
  double reduction = 0;

  /// The norm at which an iteration ends that began at a residual of norm `start`.
  KOKKOS_INLINE_FUNCTION double aim(double start) const {
    if (reduction == 0) return target;
    // Below the target, as the true residual is a little larger than the recurrence's.
    constexpr double part_of_target = 0.8;
    return Kokkos::max(part_of_target * target, reduction * start);
  }
};

/// How far an iteration has come.
struct Progress {
  SolveStatus status = SolveStatus::running;
  int iterations = 0;
  int best_iteration = 0;      ///< when the residual was smallest
  int progress_iteration = 0;  ///< when there was progress last
  double first = 0;            ///< the norm of the residual at the first start
  double best = 0;             ///< the smallest norm since the last start
  double last = 0;             ///< the norm now
  double aim = 0;              ///< the norm at which the iteration ends: StoppingLimits::aim() of the last start
  double energy = 0;           ///< by how much all steps have lowered the square of the error's energy norm
  double new_energy = 0;       ///< of that, since the last progress

  /// A residual that has grown so much never comes down: CG's residual grows by the square root of the condition
  /// number at most, about 1e8 before a matrix is singular to working precision.
  static constexpr double divergence = 1e10;
  /// Part of `energy` that new steps must add to count as progress.
  static constexpr double least_energy = 1e-12;

  /// Where an iteration begins, or begins again: at a residual of this norm.
  KOKKOS_INLINE_FUNCTION void begin(double norm, const StoppingLimits& limits) {
    if (iterations == 0) first = norm;
    best = last = norm;
    aim = limits.aim(norm);
    best_iteration = progress_iteration = iterations;
    new_energy = 0;
    status = !is_finite(norm)                      ? SolveStatus::non_finite
             : norm <= limits.target               ? SolveStatus::converged
             : iterations >= limits.max_iterations ? SolveStatus::iteration_limit
                                                   : SolveStatus::running;
  }

  /// Counts an iteration that left a residual of this norm and lowered the energy by `gain`, and judges it. The limit
  /// is checked last.
  KOKKOS_INLINE_FUNCTION void advance(double norm, double gain, const StoppingLimits& limits) {
    ++iterations;
    last = norm;
    energy += gain;
    new_energy += gain;
    if (norm < best || new_energy > least_energy * energy) {
      progress_iteration = iterations;
      new_energy = 0;
    }
    if (norm < best) {
      best = norm;
      best_iteration = iterations;
    }
    if (!is_finite(norm)) {
      status = SolveStatus::non_finite;
    } else if (norm <= aim) {
      status = SolveStatus::converged;
    } else if (norm <= limits.floor) {
      status = SolveStatus::accuracy_limit;
    } else if (norm > divergence * first) {
      status = SolveStatus::diverged;
    } else if (iterations - progress_iteration >= limits.window) {
      status = SolveStatus::stagnation;
    } else if (iterations >= limits.max_iterations) {
      status = SolveStatus::iteration_limit;
    }
  }
};

namespace impl {
/// Iterations between two convergence checks at most, and so the norms that the device keeps.
inline constexpr int most_between_checks = 1024;
}  // namespace impl

/// The scalars that every iterative method has; a method derives its own type from it. They are double whatever
/// the vectors hold: squares of floats overflow early, and long sums of them stall.
///
/// Memory   device memory, or a copy on the host; the functions are for one thread of either.
struct IterationScalars {
  Progress progress;
  StoppingLimits limits;
  double start_rr = 0, start_zz = 0;  ///< r^H r, and z^H z with z = M^-1 r, at the last start

  KOKKOS_INLINE_FUNCTION bool is_running() const { return progress.status == SolveStatus::running; }

  /// Starts, or starts again (then progress.iterations goes on), from the sums r^H r, r^H z and z^H z of the true
  /// residual. A method without z passes r^H r three times.
  KOKKOS_INLINE_FUNCTION void begin(double rr, double rz, double zz) {
    start_rr = rr;
    start_zz = zz;
    progress.begin(norm_of(rr, rz, zz), limits);
  }

  /// Counts and judges an iteration that left a residual of this norm and lowered the energy by `gain` (0 if that is
  /// not known). `history` gets the norm, at the iteration's place in a ring of `capacity`.
  KOKKOS_INLINE_FUNCTION void end_iteration(double norm, double gain, double* history,
                                            int capacity = impl::most_between_checks) {
    progress.advance(norm, gain, limits);
    if (history != nullptr) history[progress.iterations % capacity] = norm;
  }

  /// The norm of a residual with these sums by which the solve is judged.
  KOKKOS_INLINE_FUNCTION double norm_of(double rr, double rz, double zz) const {
    switch (limits.norm) {
      case ResidualNorm::preconditioned:
        return Kokkos::sqrt(zz);
      case ResidualNorm::natural:
        return Kokkos::sqrt(Kokkos::abs(rz));
      default:
        return Kokkos::sqrt(rr);
    }
  }
};

}  // namespace ashlar
