#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/krylov/cg_scalars.hpp>
#include <ashlar/krylov/impl/cg_memory.hpp>

namespace ashlar::impl {

/// CgScalars::advance() for the forms of CG that know r^H r, r^H z and u^H w = z^H A z at once: p^H A p follows from
/// them, without a reduction of its own. So alpha and beta are of the step to come.
///
/// Counts and judges the iteration that left a residual with these sums, unless it is the first residual, and prepares
/// the step that follows.
KOKKOS_INLINE_FUNCTION void advance_by_recurrence(CgScalars& s, double rr, double rz, double uw, bool is_first,
                                                  double* history) {
  if (!s.is_running()) return;
  const double rz_before = s.rz, alpha_before = s.alpha;
  if (!is_first) s.end_step(rr, rz, history, most_between_checks);
  if (!s.is_running()) return;
  const double beta = is_first ? 0 : s.rz / rz_before;
  const double pq = is_first ? uw : uw - beta * s.rz / alpha_before;
  s.beta = beta;
  s.alpha = s.judge_curvature(pq) ? s.step_length(pq) : 0;
}

}  // namespace ashlar::impl
