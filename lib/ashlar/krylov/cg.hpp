#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/krylov/cg_options.hpp>
#include <ashlar/krylov/concepts.hpp>
#include <ashlar/krylov/identity_preconditioner.hpp>
#include <ashlar/krylov/impl/solve_with.hpp>
#include <ashlar/krylov/impl/standard_cg.hpp>
#include <ashlar/krylov/report.hpp>

namespace ashlar {

/// Solves A x = b by the preconditioned conjugate gradient method.
///
/// Shapes   b and x are vectors of a.space().num_local() entries, the local part. x holds the first guess.
/// Memory   b and x reachable from `exec`, and apart; allocates four vectors (three without a preconditioner) and some
///          100 KB at the start, and nothing in the iterations. On the host the history grows by 8 bytes an iteration.
///          On a device a copy of the matrix besides, where that makes iterations faster (CgOptions::copy_bytes).
/// Async    returns when the solve has ended. All work is enqueued on `exec`; the scalars stay on the device, and the
///          host checks them every check_interval iterations, by way of pinned memory, while the device goes on.
///          Neither the iterates nor the count depend on that. Between checks the host neither waits nor allocates:
///          iterations are one kernel, where the operator provides one (cg_kernel.hpp), or a graph of the device, where
///          operator and preconditioner are capturable; SolveReport::launch says which, and why, and
///          iterates_in_kernel whether it is the first. These forms add up in orders of their own, and so agree to
///          rounding; each gives the same bits twice, with the same launch. Until convergence is known more products
///          may have been enqueued, of which SolveReport::products tells.
/// Result   the status, and the true residual ||b - A x|| / ||b|| computed from the final x. Where the recurrence
///          claims convergence and the true residual does not bear it out, CG starts again from x; where even that
///          gains nothing, the status is stagnation.
/// Throws   ShapeError, ArgumentError before any work, on all parts of the system if one of them has a reason, or if
/// they
///          are asked for different things.
/// Source   Hestenes & Stiefel 1952; Saad, Iterative Methods for Sparse Linear Systems, algorithm 9.1.
template <execution_space Exec, class Op, class M, class B, class X>
SolveReport cg(const Exec& exec, const Op& a, const M& m, const B& b, const X& x, const CgOptions& options = {}) {
  return impl::solve_with<impl::StandardCg>(exec, a, m, b, x, options);
}

}  // namespace ashlar
