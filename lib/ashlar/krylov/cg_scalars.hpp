#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/krylov/stopping.hpp>

namespace ashlar {

namespace impl {
/// Sums that a step of CG has side by side at most.
inline constexpr int most_sums_of_step = 6;
}  // namespace impl

/// The scalars of CG, which live on the device: the host enqueues iterations without knowing any of them.
///
/// Memory   device memory, or a copy on the host; the functions are for one thread of either.
/// Source   Hestenes & Stiefel 1952, with the stopping rules of stopping.hpp.
struct CgScalars : IterationScalars {
  double rz = 0;     ///< r^H z of the current residual
  double alpha = 0;  ///< of the last step: what x still lacks of it is alpha * p
  double beta = 0;   ///< of the next direction

  /// How far to go along p; 0 where nothing is to change: x stays the last good one.
  KOKKOS_INLINE_FUNCTION double step_length(double pq) const {
    if (!is_running() || !is_finite(pq) || pq <= 0) return 0;
    const double length = rz / pq;
    return is_finite(length) ? length : 0;
  }

  /// Starts, or starts again, from the sums of a residual.
  KOKKOS_INLINE_FUNCTION void begin(double rr, double rz_of_residual, double zz) {
    rz = rz_of_residual;
    alpha = beta = 0;
    IterationScalars::begin(rr, rz, zz);
    judge_preconditioner(rr);
  }

  /// Ends an iteration, whose sums are these: counts and judges it, and prepares the next. `history` gets the norm of
  /// r, at the iteration's place in a ring of `capacity`. z^H z is asked for by ResidualNorm::preconditioned alone.
  KOKKOS_INLINE_FUNCTION void advance(double pq, double rr, double rz_next, double* history, int capacity,
                                      double zz = 0) {
    alpha = step_length(pq);
    advance_by_alpha(pq, rr, rz_next, history, capacity, zz);
  }

  /// The same if alpha is step_length(pq) of this iteration already. This is the only place where CG decides anything.
  /// A kernel of all iterations sets alpha before it waits for the sums of the residual, so that the next iteration
  /// waits for two divisions less.
  KOKKOS_INLINE_FUNCTION void advance_by_alpha(double pq, double rr, double rz_next, double* history, int capacity,
                                               double zz = 0) {
    if (!is_running()) return;
    // A step has passed all tests of judge_curvature().
    if (alpha == 0 && !judge_curvature(pq)) return;
    beta = rz_next / rz;
    end_step(rr, rz_next, zz, history, capacity);
  }

  /// Counts and judges a step of length alpha that left a residual with these sums.
  KOKKOS_INLINE_FUNCTION void end_step(double rr, double rz_next, double zz, double* history, int capacity) {
    // (Hestenes & Stiefel 1952, theorem 6:1: the gain of a step)
    end_iteration(norm_of(rr, rz_next, zz), alpha * rz, history, capacity);
    rz = rz_next;
    judge_preconditioner(rr);
  }

  /// True if p^H A p is positive and finite, as for a positive definite matrix. If not, the status says why.
  KOKKOS_INLINE_FUNCTION bool judge_curvature(double pq) {
    if (!is_finite(pq)) {
      progress.status = SolveStatus::non_finite;  // A p overflowed or holds NaN
    } else if (pq <= 0) {
      progress.status = SolveStatus::indefinite_matrix;
    } else if (!is_finite(rz / pq)) {
      progress.status = SolveStatus::non_finite;
    } else {
      return true;
    }
    return false;
  }

  /// A residual that has converged by its 2-norm needs no preconditioner any more; by another norm it does.
  KOKKOS_INLINE_FUNCTION void judge_preconditioner(double rr) {
    const SolveStatus status = progress.status;
    const bool by_it = limits.norm != ResidualNorm::unpreconditioned && status == SolveStatus::converged && rr > 0;
    if (status != SolveStatus::running && status != SolveStatus::iteration_limit && !by_it) return;
    if (!is_finite(rz)) {
      progress.status = SolveStatus::non_finite;
    } else if (rz <= 0) {
      progress.status = SolveStatus::breakdown;
    }
  }
};

}  // namespace ashlar
