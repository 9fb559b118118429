#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/krylov/cg_scalars.hpp>
#include <ashlar/krylov/impl/cg_memory.hpp>

namespace ashlar::impl {

/// Where the forms of CG with one reduction an iteration have their sums, of the residual r with u = M^-1 r and w = A
/// u, and of the direction p before it with s = A p. The last two are there with a preconditioner alone; without, u is
/// r.
namespace cg_sum {
inline constexpr int rr = 0, uw = 1, us = 2, ps = 3, ru = 4, uu = 5;
}

/// How many of them an iteration adds up.
inline int num_sums_of(bool has_preconditioner, bool with_uu) { return has_preconditioner ? (with_uu ? 6 : 5) : 4; }

/// CgScalars::advance() for the forms of CG that know all sums at once: p^H A p of the step to come follows from them,
/// without a reduction of its own. So alpha and beta are of that step.
///
/// p := u + beta*p has the product p^H A p = u^H w + 2 beta u^H s + beta^2 p^H s, of sums that are all computed. (The
/// textbook's u^H w - beta r^H u / alpha hands on the error of alpha, which grows from step to step if beta is large,
/// as for slender beams.)
///
/// Counts and judges the iteration that left this residual, unless it is the first, and prepares the step that follows.
KOKKOS_INLINE_FUNCTION void advance_by_recurrence(CgScalars& s, const double* sums, bool has_preconditioner,
                                                  bool is_first, double* history) {
  if (!s.is_running()) return;
  const double rr = sums[cg_sum::rr], rz = has_preconditioner ? sums[cg_sum::ru] : rr;
  const double rz_before = s.rz;
  if (!is_first) s.end_step(rr, rz, has_preconditioner ? sums[cg_sum::uu] : rr, history, most_between_checks);
  if (!s.is_running()) return;
  s.beta = is_first ? 0 : s.rz / rz_before;
  const double uw = sums[cg_sum::uw];
  const double pq = is_first ? uw : uw + s.beta * (2 * sums[cg_sum::us] + s.beta * sums[cg_sum::ps]);
  s.alpha = s.judge_curvature(pq) ? s.step_length(pq) : 0;
}

}  // namespace ashlar::impl
