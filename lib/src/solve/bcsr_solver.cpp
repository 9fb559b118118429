#include <ashlar/solve/solve_matrix.hpp>

#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/krylov/bicgstab.hpp>
#include <ashlar/krylov/concepts.hpp>
#include <ashlar/krylov/gmres.hpp>
#include <ashlar/krylov/symmetric_solve.hpp>
#include <ashlar/operators/any_operator.hpp>
#include <ashlar/operators/any_preconditioner.hpp>
#include <ashlar/operators/bcsr_operator.hpp>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "choose_method.hpp"
#include "chosen_preconditioner.hpp"

namespace ashlar {

namespace {

using Exec = Kokkos::DefaultExecutionSpace;

template <class Scalar>
void check_system(const BcsrMatrix<Scalar>& a, const LinearSolveOptions& options) {
  if (a.num_rows() != a.num_cols()) {
    throw ShapeError(text("ashlar::solve: a matrix of ", a.num_rows(), " rows and ", a.num_cols(), " columns"),
                     "only a square system can be solved", "check how the matrix was built");
  }
  if (options.restart < 1 || options.restart > 1000) {
    throw ArgumentError(text("ashlar::solve: restart ", options.restart), "a cycle of GMRES has 1 to 1000 iterations",
                        "30 is usual");
  }
}

}  // namespace

/// The system, the preconditioner and the method, which refers to both.
template <class Scalar>
struct BcsrSolver<Scalar>::Impl {
  using Matrix = BcsrMatrix<Scalar>;
  using Op = AnyOperator<Scalar, Exec>;
  using M = AnyPreconditioner<Scalar, Exec>;
  using SolverOfCg = Solver<StandardCg<Exec, Op, M, Scalar>>;
  using SolverOfMinres = Solver<Minres<Exec, Op, M, Scalar>>;
  using SolverOfGmres = Solver<Gmres<Exec, Op, M, Scalar>>;
  using SolverOfBicgstab = Solver<BiCgStab<Exec, Op, M, Scalar>>;

  Impl(const Exec& exec_of_caller, const Matrix& matrix, const LinearSolveOptions& given)
      : exec(exec_of_caller),
        a((check_system(matrix, given), matrix)),
        options(given),
        preconditioner(exec, a, given),
        op(BcsrOperator<Matrix>(exec, a)) {
    options.coordinates = options.near_null_space = {};  // the caller's
    choose();
  }

  /// The method and the preconditioner for the values that A has. Both are kept if they may be.
  void choose() {
    is_ready = false;
    LinearSolveReport now;
    now.block_size = a.block_size();
    now.method = impl::choose_method(exec, a, options, std::holds_alternative<SolverOfGmres>(solver), now);
    // The solver refers to the preconditioner, so another preconditioner needs another solver. The memory of another
    // method goes first.
    if (now.method != chosen.method) solver.template emplace<std::monostate>();
    const bool is_new = preconditioner.set_up(now.method);
    now.preconditioner = preconditioner.kind();
    if (is_new || !has_solver() || now.method != chosen.method) {
      make_solver(now.method);
    } else {
      std::visit(
          [](auto& kept) {
            if constexpr (requires { kept.values_changed(); }) kept.values_changed();
          },
          solver);
    }
    chosen = std::move(now);
    is_ready = true;
  }

  bool has_solver() const {
    return !solver.valueless_by_exception() && !std::holds_alternative<std::monostate>(solver);
  }

  void make_solver(SolveMethod method) {
    const M& m = preconditioner.get();
    const SolverOptions common{.rtol = options.rtol, .atol = options.atol, .max_iterations = options.max_iterations};
    switch (method) {
      case SolveMethod::minres:
        solver.template emplace<SolverOfMinres>(exec, op, m, common);
        break;
      case SolveMethod::gmres:
        solver.template emplace<SolverOfGmres>(exec, op, m,
                                               GmresOptions{.rtol = options.rtol,
                                                            .atol = options.atol,
                                                            .max_iterations = options.max_iterations,
                                                            .restart = options.restart});
        break;
      case SolveMethod::bicgstab:
        solver.template emplace<SolverOfBicgstab>(exec, op, m, common);
        break;
      case SolveMethod::automatic:
      case SolveMethod::cg:
        CgOptions of_cg;
        of_cg.rtol = options.rtol;
        of_cg.atol = options.atol;
        of_cg.max_iterations = options.max_iterations;
        if (options.method == SolveMethod::cg) {
          solver.template emplace<SolverOfCg>(exec, op, m, of_cg);
        } else {
          solver.template emplace<SymmetricSolver<Exec, Op, M, Scalar>>(exec, op, m, of_cg);
        }
        break;
    }
  }

  LinearSolveReport solve(const Kokkos::View<const Scalar*>& b, const Kokkos::View<Scalar*>& x) {
    if (!is_ready) {
      throw Error("ashlar::solve: update_values() refused the last values", "the matrix has these values",
                  "call it with valid ones before solve()");
    }
    LinearSolveReport report = chosen;
    SolveReport& solved = report;
    std::visit(
        [&](auto& method) {
          if constexpr (std::is_same_v<decltype(method), SymmetricSolver<Exec, Op, M, Scalar>&>) {
            SymmetricSolve found = method.solve(b, x);
            solved = std::move(found.report);
            if (found.by_minres) report.method = SolveMethod::minres;
            if (found.without_preconditioner) report.preconditioner = SolvePreconditioner::none;
            report.why += found.but();
          } else if constexpr (!std::is_same_v<decltype(method), std::monostate&>) {
            solved = method.solve(b, x);
          }
        },
        solver);
    add_why_preconditioner(report);
    return report;
  }

  /// Unless the solver has left the preconditioner out, and said so.
  void add_why_preconditioner(LinearSolveReport& report) const {
    const std::string& why = preconditioner.why();
    if (why.empty() || report.preconditioner != chosen.preconditioner) return;
    if (!report.why.empty()) report.why += report.preconditioner == SolvePreconditioner::none ? "; " : ", and ";
    report.why += why;
  }

  Exec exec;
  Matrix a;
  LinearSolveOptions options;
  impl::ChosenPreconditioner<Scalar> preconditioner;
  Op op;
  std::variant<std::monostate, SymmetricSolver<Exec, Op, M, Scalar>, SolverOfCg, SolverOfMinres, SolverOfGmres,
               SolverOfBicgstab>
      solver;
  LinearSolveReport chosen;  ///< method, preconditioner, and why this method, before a solve
  bool is_ready = false;
};

template <class Scalar>
BcsrSolver<Scalar>::BcsrSolver(const Exec& exec, const BcsrMatrix<Scalar>& a, const LinearSolveOptions& options)
    : impl_(std::make_unique<Impl>(exec, a, options)) {}
template <class Scalar>
BcsrSolver<Scalar>::BcsrSolver(BcsrSolver&&) noexcept = default;
template <class Scalar>
BcsrSolver<Scalar>& BcsrSolver<Scalar>::operator=(BcsrSolver&&) noexcept = default;
template <class Scalar>
BcsrSolver<Scalar>::~BcsrSolver() = default;

template <class Scalar>
LinearSolveReport BcsrSolver<Scalar>::solve(const Kokkos::View<const Scalar*>& b, const Kokkos::View<Scalar*>& x) {
  return impl_->solve(b, x);
}

template <class Scalar>
void BcsrSolver<Scalar>::values_changed() {
  impl_->choose();
}

template class BcsrSolver<float>;
template class BcsrSolver<double>;

}  // namespace ashlar
