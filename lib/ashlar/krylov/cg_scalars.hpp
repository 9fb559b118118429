#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/krylov/stopping.hpp>

namespace ashlar {

namespace impl {
/// Sums that a step of CG has side by side at most.
inline constexpr int most_sums_of_step = 6;
}  // namespace impl

/// The scalars of CG, which live on the device: the host enqueues iterations without knowing any of them. They are
/// double whatever the vectors hold: squares of floats overflow early, and long sums of them stall.
///
/// Memory   device memory, or a copy on the host; the functions are for one thread of either.
/// Source   Hestenes & Stiefel 1952, with the stopping rules of stopping.hpp.
struct CgScalars {
  Progress progress;
  StoppingLimits limits;
  double rz = 0;                      ///< r^H z of the residual at hand
  double alpha = 0;                   ///< of the last step: what x still lacks of it is alpha * p
  double beta = 0;                    ///< of the next direction
  double start_rr = 0, start_zz = 0;  ///< r^H r, and z^H z with z = M^-1 r, at the last start

  KOKKOS_INLINE_FUNCTION bool is_running() const { return progress.status == SolveStatus::running; }

  /// How far to go along p; 0 where nothing is to change: x stays the last good one.
  KOKKOS_INLINE_FUNCTION double step_length(double pq) const {
    if (!is_running() || !is_finite(pq) || pq <= 0) return 0;
    const double length = rz / pq;
    return is_finite(length) ? length : 0;
  }

  /// Starts, or starts again (then progress.iterations goes on), from the sums of a residual.
  KOKKOS_INLINE_FUNCTION void begin(double rr, double rz_of_residual, double zz) {
    start_rr = rr;
    start_zz = zz;
    rz = rz_of_residual;
    alpha = beta = 0;
    progress.begin(norm_of(rr, rz, zz), limits);
    judge_preconditioner(rr);
  }

  /// Ends an iteration, whose sums are these: counts and judges it, and prepares the next. `history` gets the norm of
  /// r, at the iteration's place in a ring of `capacity`. This is the only place where CG decides anything. z^H z is
  /// asked for by ResidualNorm::preconditioned alone.
  KOKKOS_INLINE_FUNCTION void advance(double pq, double rr, double rz_next, double* history, int capacity,
                                      double zz = 0) {
    alpha = step_length(pq);
    if (!is_running()) return;
    if (!judge_curvature(pq)) return;
    beta = rz_next / rz;
    end_step(rr, rz_next, zz, history, capacity);
  }

  /// Counts and judges a step of length alpha that left a residual with these sums.
  KOKKOS_INLINE_FUNCTION void end_step(double rr, double rz_next, double zz, double* history, int capacity) {
    const double norm = norm_of(rr, rz_next, zz);
    progress.advance(norm, alpha * rz, limits);  // (Hestenes & Stiefel 1952, theorem 6:1: the gain of a step)
    if (history != nullptr) history[progress.iterations % capacity] = norm;
    rz = rz_next;
    judge_preconditioner(rr);
  }

  /// The norm of a residual with these sums by which the solve is judged.
  KOKKOS_INLINE_FUNCTION double norm_of(double rr, double rz_of_residual, double zz) const {
    switch (limits.norm) {
      case ResidualNorm::preconditioned:
        return Kokkos::sqrt(zz);
      case ResidualNorm::natural:
        return Kokkos::sqrt(Kokkos::abs(rz_of_residual));
      default:
        return Kokkos::sqrt(rr);
    }
  }

  /// Whether p^H A p is as it is of a positive definite matrix; else the status says what is wrong.
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
