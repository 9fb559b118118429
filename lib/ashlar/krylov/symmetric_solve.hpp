#pragma once

#include <ashlar/base/concepts.hpp>
#include <ashlar/krylov/cg.hpp>
#include <ashlar/krylov/concepts.hpp>
#include <ashlar/krylov/minres.hpp>
#include <ashlar/krylov/report.hpp>
#include <string>
#include <utility>

namespace ashlar {

/// How symmetric_solve() ended.
struct SymmetricSolve {
  SolveReport report;                   ///< of all solvers that ran, as of one; launch and warning are the last one's
  bool by_minres = false;               ///< CG found that A or M is not positive definite
  bool without_preconditioner = false;  ///< M is not positive definite

  /// The rest of a sentence that says why CG was taken; "" if CG ended the solve.
  std::string but() const {
    if (without_preconditioner) return ", but its preconditioner is not positive definite, and left out";
    return by_minres ? ", but not positive definite, as CG found" : "";
  }
};

/// Solves A x = b for a Hermitian A that is probably positive definite: by CG and, if A turns out to be indefinite, by
/// MINRES from the x that CG has reached. If M is not positive definite either, MINRES goes on without M.
///
/// Shapes, Memory, Async, Throws   as cg() and minres().
/// Norm     in the preconditioned and the natural norm an indefinite M ends the solve with `breakdown`: there is no
/// such
///          norm.
/// Result   max_iterations and monitors count the iterations of all solvers.
template <execution_space Exec, class Op, class M, class B, class X>
SymmetricSolve symmetric_solve(const Exec& exec, const Op& a, const M& m, const B& b, const X& x,
                               const CgOptions& options = {}) {
  SymmetricSolve result{cg(exec, a, m, b, x, options)};
  SolveReport& report = result.report;
  const auto go_on = [&](const auto& preconditioner) {
    SolverOptions rest{.rtol = options.rtol,
                       .atol = options.atol,
                       .norm = options.norm,
                       .max_iterations = options.max_iterations - report.iterations,
                       .stagnation_window = options.stagnation_window,
                       .check_interval = options.check_interval,
                       .launch = options.launch == Launch::persistent ? Launch::automatic : options.launch};
    if (rest.max_iterations < 1) return;
    if (options.monitor) rest.monitor = options.monitor.seen_from(report.iterations, 1);
    result.by_minres = true;
    SolveReport next = minres(exec, a, preconditioner, b, x, rest);
    next.iterations += report.iterations;
    next.products += report.products;
    next.bytes_moved += report.bytes_moved;
    next.residual_history.insert(next.residual_history.begin(), report.residual_history.begin(),
                                 report.residual_history.end() - 1);
    report = std::move(next);
  };
  if (report.status == SolveStatus::indefinite_matrix) go_on(m);
  if (report.status == SolveStatus::breakdown && options.norm == ResidualNorm::unpreconditioned) {
    result.without_preconditioner = true;
    go_on(IdentityPreconditioner());
  }
  return result;
}

}  // namespace ashlar
