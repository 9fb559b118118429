#pragma once

#include <ashlar/base/concepts.hpp>
#include <ashlar/krylov/cg.hpp>
#include <ashlar/krylov/identity_preconditioner.hpp>
#include <ashlar/krylov/minres.hpp>
#include <ashlar/krylov/report.hpp>

namespace ashlar {

/// How symmetric_solve() ended.
struct SymmetricSolve {
  SolveReport report;                   ///< of both solvers, as of one
  bool by_minres = false;               ///< CG found that A is not positive definite, or that M is not
  bool without_preconditioner = false;  ///< M is not positive definite
};

/// Solves A x = b for a Hermitian A that is probably positive definite: by CG, and if A turns out to be indefinite by
/// MINRES, from the x that CG has reached. If M is not positive definite, MINRES goes on without M.
///
/// Shapes, Memory, Async, Throws   as cg() and minres().
/// Result   max_iterations counts the iterations of both.
template <execution_space Exec, class Op, class M, class B, class X>
SymmetricSolve symmetric_solve(const Exec& exec, const Op& a, const M& m, const B& b, const X& x,
                               const CgOptions& options = {}) {
  SymmetricSolve result{cg(exec, a, m, b, x, options)};
  const SolveReport first = result.report;
  const bool is_indefinite = first.status == SolveStatus::indefinite_matrix;
  const bool has_bad_preconditioner =
      first.status == SolveStatus::breakdown && options.norm == ResidualNorm::unpreconditioned;
  const int left = options.max_iterations - first.iterations;
  if ((!is_indefinite && !has_bad_preconditioner) || left < 1) return result;
  const SolverOptions rest{.rtol = options.rtol,
                           .atol = options.atol,
                           .norm = options.norm,
                           .max_iterations = left,
                           .stagnation_window = options.stagnation_window,
                           .monitor = options.monitor};
  result.by_minres = true;
  result.without_preconditioner = has_bad_preconditioner;
  SolveReport& report = result.report;
  report = is_indefinite ? minres(exec, a, m, b, x, rest) : minres(exec, a, IdentityPreconditioner(), b, x, rest);
  report.iterations += first.iterations;
  report.products += first.products;
  report.bytes_moved += first.bytes_moved;
  report.residual_history.insert(report.residual_history.begin(), first.residual_history.begin(),
                                 first.residual_history.end() - 1);
  return result;
}

}  // namespace ashlar
