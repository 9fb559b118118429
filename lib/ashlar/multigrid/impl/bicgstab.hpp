#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/scalar.hpp>

namespace ashlar::multigrid {

/// The vectors of a solve by BiCGStab: the solution, the right-hand side, and scratch memory.
template <class Vector>
struct BicgstabVectors {
  Vector x, f;
  Vector r, r0, p, preconditioned, ap, as;
};

/// BiCGStab with the inverse diagonal as its preconditioner: solves A x = f from x on, until max |f - A x| is less than
/// `reduction` times its first value. Returns the iterations made.
///
/// It decides and calls; `work` computes, for vectors `work.vectors`: on the host, by kernels, or all of it within one
/// kernel, where each thread of a team calls this. The coarsest level cannot call krylov's bicgstab(): that enqueues
/// kernels of whole grids and keeps its scalars in device memory, while here a team solves within a kernel that may be
/// a part of a larger one. It also stops by the maximum norm, which any number of threads finds with the same bits.
///
/// Source   van der Vorst 1992, "Bi-CGSTAB: a fast and smoothly converging variant of Bi-CG".
#ifdef KOKKOS_ENABLE_CUDA
#pragma nv_exec_check_disable
#endif
template <class Work>
KOKKOS_FUNCTION int bicgstab(const Work& work, double reduction, int max_iterations) {
  const auto& [x, f, r, r0, p, preconditioned, ap, as] = work.vectors;
  const auto& s = r;  // takes the place of r in the middle of an iteration
  work.residual(x, f, r0);
  work.copy(r0, r);
  work.copy(r0, p);
  double r_r0 = work.dot(r, r0);
  const double target = reduction * work.norm(r0);
  if (r_r0 == 0 || target == 0) return 0;
  int iterations = 0;
  while (iterations < max_iterations) {
    ++iterations;
    work.precondition(p, preconditioned);
    work.apply(preconditioned, ap);
    const double ap_r0 = work.dot(ap, r0);
    const double alpha = r_r0 / ap_r0;
    if (ap_r0 == 0 || !is_finite(alpha)) break;
    work.combine(1, x, alpha, preconditioned, x);
    work.combine(1, r, -alpha, ap, s);
    if (const double left = work.norm(s); left <= 0 || left < target) break;

    work.precondition(s, preconditioned);
    work.apply(preconditioned, as);
    const double as_as = work.dot(as, as), as_s = work.dot(as, s);
    const double omega = as_s / as_as;
    if (as_as == 0 || omega == 0 || !is_finite(omega)) break;
    work.combine(1, x, omega, preconditioned, x);
    work.combine(1, s, -omega, as, r);
    if (const double left = work.norm(r); left <= 0 || left < target) break;

    const double before = r_r0;
    r_r0 = work.dot(r, r0);
    const double beta = (r_r0 / before) * (alpha / omega);
    if (r_r0 == 0 || !is_finite(beta)) break;
    work.combine(1, p, -omega, ap, p);
    work.combine(1, r, beta, p, p);
  }
  return iterations;
}

}  // namespace ashlar::multigrid
