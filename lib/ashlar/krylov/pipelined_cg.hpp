#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/krylov/cg_options.hpp>
#include <ashlar/krylov/concepts.hpp>
#include <ashlar/krylov/identity_preconditioner.hpp>
#include <ashlar/krylov/impl/pipelined.hpp>
#include <ashlar/krylov/impl/solve_with.hpp>
#include <ashlar/krylov/report.hpp>

namespace ashlar {

/// Solves A x = b by pipelined conjugate gradients: a single reduction in each iteration, and that one runs under the
/// preconditioner and the product of the next. For systems over many ranks, where reductions take longer than these.
///
/// It has more recurrences, whose rounding errors would grow: every 24 iterations the residual and what follows from it
/// are computed anew from x and p (residual replacement), for four products more.
///
/// Shapes   as of cg(); so are Result and Throws. Without a preconditioner NumericalError if entries of A*A would
/// overflow or
///          underflow. Converged by the recurrence it notices one product later.
/// Memory   as of cg(), and three vectors more (five with a preconditioner).
/// Async    as of cg(), but for a persistent kernel, of which there is none.
/// Source   Ghysels & Vanroose 2014; Cools, Yetkin, Agullo, Giraud & Vanroose 2018 for the replacement.
template <execution_space Exec, class Op, class M, class B, class X>
SolveReport pipelined_cg(const Exec& exec, const Op& a, const M& m, const B& b, const X& x,
                         const CgOptions& options = {}) {
  return impl::solve_with<impl::PipelinedCg>(exec, a, m, b, x, options);
}

}  // namespace ashlar
