#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/krylov/stopping.hpp>

namespace ashlar {

/// The scalars of CG, which live on the device: the host enqueues iterations without knowing any of them. They are
/// double whatever the vectors hold: squares of floats overflow early, and long sums of them stall.
///
/// Memory   device memory, or a copy on the host; the functions are for one thread of either.
/// Source   Hestenes & Stiefel 1952, with the stopping rules of stopping.hpp.
struct CgScalars {
  Progress progress;
  StoppingLimits limits;
  double rz = 0;     ///< r^H z of the residual at hand
  double alpha = 0;  ///< of the last step: what x still lacks of it is alpha * p
  double beta = 0;   ///< of the next direction

  KOKKOS_INLINE_FUNCTION bool is_running() const { return progress.status == SolveStatus::running; }

  /// How far to go along p; 0 where nothing is to change: x stays the last good one.
  KOKKOS_INLINE_FUNCTION double step_length(double pq) const {
    const double length = rz / pq;
    return is_running() && pq > 0 && Kokkos::isfinite(length) ? length : 0;
  }

  /// Starts, or starts again (then progress.iterations goes on), from the sums of a residual.
  KOKKOS_INLINE_FUNCTION void begin(double rr, double rz_of_residual) {
    progress.begin(Kokkos::sqrt(rr), limits);
    rz = rz_of_residual;
    alpha = beta = 0;
    if (is_running()) judge_preconditioner();
  }

  /// Ends an iteration, whose sums are these: counts and judges it, and prepares the next. `history` gets ||r||, at the
  /// iteration's place in a ring of `capacity`. This is the only place where CG decides anything.
  KOKKOS_INLINE_FUNCTION void advance(double pq, double rr, double rz_next, double* history, int capacity) {
    alpha = step_length(pq);
    if (!is_running()) return;
    if (!judge_curvature(pq)) return;
    beta = rz_next / rz;
    end_step(rr, rz_next, history, capacity);
  }

  /// Counts and judges a step that left a residual with these sums.
  KOKKOS_INLINE_FUNCTION void end_step(double rr, double rz_next, double* history, int capacity) {
    const double norm = Kokkos::sqrt(rr);
    progress.advance(norm, limits);
    if (history != nullptr) history[progress.iterations % capacity] = norm;
    rz = rz_next;
    if (is_running() || progress.status == SolveStatus::iteration_limit) judge_preconditioner();
  }

  /// Whether p^H A p is as it is of a positive definite matrix; else the status says what is wrong.
  KOKKOS_INLINE_FUNCTION bool judge_curvature(double pq) {
    if (!Kokkos::isfinite(pq) || !Kokkos::isfinite(rz / pq)) {
      // A p overflowed or holds NaN; 0/0 and x/0 are no overflow but a direction without curvature.
      progress.status = pq == 0 ? SolveStatus::indefinite_matrix : SolveStatus::non_finite;
    } else if (!(pq > 0)) {
      progress.status = SolveStatus::indefinite_matrix;
    } else {
      return true;
    }
    return false;
  }

  KOKKOS_INLINE_FUNCTION void judge_preconditioner() {
    if (!Kokkos::isfinite(rz)) {
      progress.status = SolveStatus::non_finite;
    } else if (!(rz > 0)) {
      progress.status = SolveStatus::breakdown;
    }
  }
};

}  // namespace ashlar
