#pragma once

#include <ashlar/base/concepts.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/krylov/cg.hpp>
#include <ashlar/krylov/concepts.hpp>
#include <ashlar/krylov/minres.hpp>
#include <ashlar/krylov/report.hpp>
#include <cstddef>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace ashlar {

/// How symmetric_solve() ended.
struct SymmetricSolve {
  SolveReport report;                   ///< of all solvers that ran, as of one; launch and warning are the last one's
  bool by_minres = false;               ///< CG found that A or M is not positive definite
  bool without_preconditioner = false;  ///< MINRES left M out, because M is not positive definite

  /// The rest of a sentence that says why CG was taken; "" if CG ended the solve.
  std::string but() const {
    if (without_preconditioner) return ", but its preconditioner is not positive definite, and left out";
    return by_minres ? ", but not positive definite, as CG found" : "";
  }
};

/// symmetric_solve() for many solves. It keeps the memory of one solver: of CG and, once that has found A or M not
/// positive definite, of MINRES. Later solves then begin with MINRES, until values_changed().
///
/// Memory   references to A and M, which outlive the solver; else as Solver.
template <execution_space Exec, class Op, class M, scalar Scalar>
class SymmetricSolver {
 public:
  SymmetricSolver(const Exec& exec, const Op& a, const M& m, const CgOptions& options = {})
      : exec_(exec), a_(a), m_(m), options_(options), solver_(std::in_place_index<cg_of_m>, exec, a, m, options) {}
  SymmetricSolver(const SymmetricSolver&) = delete;
  SymmetricSolver& operator=(const SymmetricSolver&) = delete;

  template <class B, class X>
  SymmetricSolve solve(const B& b, const X& x) {
    SymmetricSolve result;
    SolveReport& report = result.report;
    if (solver_.valueless_by_exception()) values_changed();  // there was no memory for MINRES
    if (auto* const cg = std::get_if<cg_of_m>(&solver_)) {
      report = cg->solve(b, x);
      if (report.status == SolveStatus::indefinite_matrix) {
        solver_.template emplace<minres_of_m>(exec_, a_, m_, options_of_minres());
      } else if (!is_unfit(report)) {
        return result;
      }
    }
    if (auto* const minres = std::get_if<minres_of_m>(&solver_)) result.by_minres = go_on(*minres, b, x, report);
    if (is_unfit(report)) solver_.template emplace<minres_alone>(exec_, a_, none_, options_of_minres());
    if (auto* const minres = std::get_if<minres_alone>(&solver_)) {
      result.without_preconditioner = go_on(*minres, b, x, report);
      result.by_minres = result.by_minres || result.without_preconditioner;
    }
    return result;
  }

  /// The values of the matrix or of the preconditioner are others. On all parts alike.
  void values_changed() {
    if (auto* const cg = std::get_if<cg_of_m>(&solver_)) {
      cg->values_changed();
    } else {
      solver_.template emplace<cg_of_m>(exec_, a_, m_, options_);
    }
  }

 private:
  enum : std::size_t { cg_of_m, minres_of_m, minres_alone };

  SolverOptions options_of_minres() const {
    return {.rtol = options_.rtol,
            .atol = options_.atol,
            .norm = options_.norm,
            .max_iterations = options_.max_iterations,
            .stagnation_window = options_.stagnation_window,
            .check_interval = options_.check_interval,
            .launch = options_.launch == Launch::persistent ? Launch::automatic : options_.launch,
            .monitor = options_.monitor};
  }

  /// True if M is not positive definite, and the norm does without it.
  bool is_unfit(const SolveReport& report) const {
    return report.status == SolveStatus::breakdown && options_.norm == ResidualNorm::unpreconditioned;
  }

  /// Solves from the x of the solvers before, whose report this is, and adds to it; false if they made all iterations.
  template <class SolverOfRest, class B, class X>
  bool go_on(SolverOfRest& solver, const B& b, const X& x, SolveReport& report) const {
    SolverOptions rest = options_of_minres();
    rest.max_iterations -= report.iterations;
    if (rest.max_iterations < 1) return false;
    if (rest.monitor) rest.monitor = options_.monitor.seen_from(report.iterations, 1);
    SolveReport next = solver.solve(b, x, rest);
    next.iterations += report.iterations;
    next.products += report.products;
    next.bytes_moved += report.bytes_moved;
    put_before(report.residual_history, next.residual_history);
    put_before(report.true_residuals, next.true_residuals);
    report = std::move(next);
    return true;
  }

  /// Residuals of one solve after another. The second solve starts with the last residual of the first.
  static void put_before(const std::vector<double>& first, std::vector<double>& second) {
    if (!first.empty()) second.insert(second.begin(), first.begin(), first.end() - 1);
  }

  Exec exec_;
  const Op& a_;
  const M& m_;
  CgOptions options_;
  IdentityPreconditioner none_;
  std::variant<Solver<StandardCg<Exec, Op, M, Scalar>>, Solver<Minres<Exec, Op, M, Scalar>>,
               Solver<Minres<Exec, Op, IdentityPreconditioner, Scalar>>>
      solver_;
};

/// Solves A x = b for a Hermitian A that is probably positive definite: by CG and, if A turns out to be indefinite, by
/// MINRES from the x that CG has reached. If M is not positive definite either, MINRES goes on without M.
///
/// Shapes, Memory, Async, Throws   as cg() and minres().
/// Norm     in the preconditioned and the natural norm an indefinite M ends the solve with `breakdown`: there is no
///          such norm.
/// Result   max_iterations and monitors count the iterations of all solvers.
template <execution_space Exec, class Op, class M, class B, class X>
SymmetricSolve symmetric_solve(const Exec& exec, const Op& a, const M& m, const B& b, const X& x,
                               const CgOptions& options = {}) {
  return SymmetricSolver<Exec, Op, M, typename X::non_const_value_type>(exec, a, m, options).solve(b, x);
}

}  // namespace ashlar
