#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/krylov/cg_options.hpp>
#include <ashlar/krylov/concepts.hpp>
#include <ashlar/krylov/identity_preconditioner.hpp>
#include <ashlar/krylov/impl/single_reduction.hpp>
#include <ashlar/krylov/impl/solve_with.hpp>
#include <ashlar/krylov/report.hpp>

namespace ashlar {

/// Solves A x = b by conjugate gradients with a single reduction in each iteration: for systems over many ranks, where
/// reductions take long. p^H A p comes from a recurrence, so that rounding grows a little faster than in cg().
///
/// Shapes   as of cg(); so are Result and Throws.
/// Memory   as of cg(), and one vector more.
/// Async    as of cg(), but for a persistent kernel, of which there is none.
/// Source   Chronopoulos & Gear 1989.
template <execution_space Exec, class Op, class M, class B, class X>
SolveReport single_reduction_cg(const Exec& exec, const Op& a, const M& m, const B& b, const X& x,
                                const CgOptions& options = {}) {
  return impl::solve_with<impl::SingleReductionCg>(exec, a, m, b, x, options);
}

}  // namespace ashlar
