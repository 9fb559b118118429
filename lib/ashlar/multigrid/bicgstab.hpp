#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/multigrid/operator.hpp>
#include <cmath>

namespace ashlar::multigrid {

/// BiCGStab with the inverse diagonal as its preconditioner, for the coarsest level, whose boxes are one rank's: that
/// rank solves by itself.
///
/// Source   van der Vorst 1992, "Bi-CGSTAB: a fast and smoothly converging variant of Bi-CG".
template <execution_space Exec>
class BottomSolver {
 public:
  using Vector = typename Level<Exec>::Vector;

  BottomSolver() = default;
  BottomSolver(const Exec& exec, const Level<Exec>& level)
      : r_(level.vector(exec, "bicgstab_r")),
        r0_(level.vector(exec, "bicgstab_r0")),
        p_(level.vector(exec, "bicgstab_p")),
        preconditioned_(level.vector(exec, "bicgstab_preconditioned")),
        ap_(level.vector(exec, "bicgstab_ap")),
        as_(level.vector(exec, "bicgstab_as")) {}

  /// Solves A x = f on the level, from x on, until max |f - A x| is less than `reduction` times what it was. Returns
  /// the iterations made.
  ///
  /// Async    waits for `exec` several times an iteration: the host decides.
  int solve(const Exec& exec, const Level<Exec>& level, const Vector& x, const Vector& f, double reduction = 1e-3,
            int max_iterations = 200) const {
    const auto norm = [&](const Vector& v) { return own_max_norm(exec, level, v); };
    const auto product = [&](const Vector& v, const Vector& w) { return dot(exec, level, v, w); };
    const auto combined = [&](double a, const Vector& v, double b, const Vector& w, const Vector& out) {
      combine(exec, level, a, v, b, w, out);
    };
    const Vector& s = r_;  // takes the place of r in the middle of an iteration
    residual(exec, level, x, f, r0_);
    Kokkos::deep_copy(exec, r_, r0_);
    Kokkos::deep_copy(exec, p_, r0_);
    double r_r0 = product(r_, r0_);
    const double target = reduction * norm(r0_);
    if (r_r0 == 0 || target == 0) return 0;
    int iterations = 0;
    while (iterations < max_iterations) {
      ++iterations;
      multiply(exec, level, level.inverse_diagonal, p_, preconditioned_);
      apply(exec, level, preconditioned_, ap_);
      const double ap_r0 = product(ap_, r0_);
      const double alpha = r_r0 / ap_r0;
      if (ap_r0 == 0 || !std::isfinite(alpha)) break;
      combined(1, x, alpha, preconditioned_, x);
      combined(1, r_, -alpha, ap_, s);
      if (const double left = norm(s); left <= 0 || left < target) break;

      multiply(exec, level, level.inverse_diagonal, s, preconditioned_);
      apply(exec, level, preconditioned_, as_);
      const double as_as = product(as_, as_), as_s = product(as_, s);
      const double omega = as_s / as_as;
      if (as_as == 0 || omega == 0 || !std::isfinite(omega)) break;
      combined(1, x, omega, preconditioned_, x);
      combined(1, s, -omega, as_, r_);
      if (const double left = norm(r_); left <= 0 || left < target) break;

      const double before = r_r0;
      r_r0 = product(r_, r0_);
      const double beta = (r_r0 / before) * (alpha / omega);
      if (r_r0 == 0 || !std::isfinite(beta)) break;
      combined(1, p_, -omega, ap_, p_);
      combined(1, r_, beta, p_, p_);
    }
    return iterations;
  }

 private:
  Vector r_, r0_, p_, preconditioned_, ap_, as_;
};

}  // namespace ashlar::multigrid
