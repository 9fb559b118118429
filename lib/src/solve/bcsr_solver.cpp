#include <ashlar/solve/solve_matrix.hpp>

#include <ashlar/amg/near_null_space.hpp>
#include <ashlar/amg/preconditioner.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/krylov/bicgstab.hpp>
#include <ashlar/krylov/concepts.hpp>
#include <ashlar/krylov/gmres.hpp>
#include <ashlar/krylov/symmetric_solve.hpp>
#include <ashlar/operators/any_operator.hpp>
#include <ashlar/operators/any_preconditioner.hpp>
#include <ashlar/operators/bcsr_operator.hpp>
#include <ashlar/operators/block_jacobi_preconditioner.hpp>
#include <ashlar/operators/jacobi_preconditioner.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "choose_method.hpp"

namespace ashlar {

namespace {

using Exec = Kokkos::DefaultExecutionSpace;

/// The coordinates on the device, if they are what amg needs.
template <class Scalar>
Kokkos::View<double*> coordinates_on_device(const Exec& exec, const BcsrMatrix<Scalar>& a,
                                            const LinearSolveOptions& options) {
  const auto given = options.coordinates;
  if (given.empty() || options.preconditioner != SolvePreconditioner::amg) return {};
  if (options.dimensions < 1 || std::int64_t(given.size()) != std::int64_t(a.num_block_rows()) * options.dimensions) {
    throw ShapeError(
        text("ashlar::solve: ", given.size(), " coordinates in ", options.dimensions, " dimensions"),
        text("the matrix has ", a.num_block_rows(), " nodes, which are its block rows of size ", a.block_size()),
        "pass one for each node and dimension, and the block size");
  }
  const Kokkos::View<double*> there("ashlar::solve::coordinates", given.size());
  using Here = Kokkos::View<const double*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  Kokkos::deep_copy(exec, there, Here(given.data(), given.size()));
  exec.fence("ashlar::solve: the coordinates may go");
  return there;
}

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
        coordinates(coordinates_on_device(exec, a, given)),
        op(BcsrOperator<Matrix>(exec, a)) {
    options.coordinates = {};  // the caller's
    choose();
  }

  /// The method and the preconditioner for the values that A has. Both are kept if they may be.
  void choose() {
    is_ready = false;
    LinearSolveReport now;
    now.block_size = a.block_size();
    now.method = impl::choose_method(exec, a, options, std::holds_alternative<SolverOfGmres>(solver), now);
    choose_preconditioner(now);
    if (solver.valueless_by_exception() || std::holds_alternative<std::monostate>(solver) ||
        now.method != chosen.method) {
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

  void choose_preconditioner(LinearSolveReport& now) {
    const bool is_automatic = options.preconditioner == SolvePreconditioner::automatic;
    now.preconditioner = is_automatic ? SolvePreconditioner::block_jacobi : options.preconditioner;
    why_none.clear();
    try {
      if (const auto update = std::exchange(update_preconditioner, nullptr)) {
        update();
        update_preconditioner = update;
      } else {
        make_preconditioner(now.preconditioner);
      }
    } catch (const NumericalError& error) {
      if (!is_automatic) throw;
      why_none = "no preconditioner: " + error.problem();
      now.preconditioner = SolvePreconditioner::none;
      make_preconditioner(now.preconditioner);
    }
  }

  void make_preconditioner(SolvePreconditioner kind) {
    switch (kind) {
      case SolvePreconditioner::jacobi:
        return take(JacobiPreconditioner<Matrix>(exec, a));
      case SolvePreconditioner::automatic:
      case SolvePreconditioner::block_jacobi:
        return take(BlockJacobiPreconditioner<Matrix>(exec, a));
      case SolvePreconditioner::amg:
        return take(amg::Preconditioner<Matrix>(exec, a, modes()));
      case SolvePreconditioner::none:
        if (!m || !m->is_identity()) replace(M(IdentityPreconditioner()));
        return;
    }
  }

  /// Rigid-body modes, if there are coordinates, or constants.
  amg::NearNullSpace<Exec::memory_space> modes() const {
    using Space = Exec::memory_space;
    if (coordinates.extent(0) == 0) return amg::constant_modes<Space>(exec, a.num_block_rows(), a.block_size());
    return amg::rigid_body_modes<Space>(exec, coordinates, options.dimensions, a.block_size());
  }

  template <class Preconditioner>
  void take(const Preconditioner& made) {
    replace(M(made));
    update_preconditioner = [this, made] { made.update_values(exec, a); };  // copies share their values
  }

  void replace(M made) {
    solver.template emplace<std::monostate>();
    m.emplace(std::move(made));
  }

  void make_solver(SolveMethod method) {
    const SolverOptions common{.rtol = options.rtol, .atol = options.atol, .max_iterations = options.max_iterations};
    switch (method) {
      case SolveMethod::minres:
        solver.template emplace<SolverOfMinres>(exec, op, *m, common);
        break;
      case SolveMethod::gmres:
        solver.template emplace<SolverOfGmres>(exec, op, *m,
                                               GmresOptions{.rtol = options.rtol,
                                                            .atol = options.atol,
                                                            .max_iterations = options.max_iterations,
                                                            .restart = options.restart});
        break;
      case SolveMethod::bicgstab:
        solver.template emplace<SolverOfBicgstab>(exec, op, *m, common);
        break;
      case SolveMethod::automatic:
      case SolveMethod::cg:
        CgOptions of_cg;
        of_cg.rtol = options.rtol;
        of_cg.atol = options.atol;
        of_cg.max_iterations = options.max_iterations;
        if (options.method == SolveMethod::cg) {
          solver.template emplace<SolverOfCg>(exec, op, *m, of_cg);
        } else {
          solver.template emplace<SymmetricSolver<Exec, Op, M, Scalar>>(exec, op, *m, of_cg);
        }
        break;
    }
  }

  LinearSolveReport solve(const Kokkos::View<const Scalar*>& b, const Kokkos::View<Scalar*>& x) {
    if (!is_ready) {
      throw Error("ashlar::solve: a solve after new values that were refused", "the matrix has these values",
                  "pass other values before");
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
    if (!why_none.empty()) report.why += (report.why.empty() ? "" : "; ") + why_none;
    return report;
  }

  Exec exec;
  Matrix a;
  LinearSolveOptions options;
  Kokkos::View<double*> coordinates;  ///< of the nodes, for amg
  Op op;
  std::optional<M> m;
  std::function<void()> update_preconditioner;  ///< to the values of A; empty if it must be made
  std::variant<std::monostate, SymmetricSolver<Exec, Op, M, Scalar>, SolverOfCg, SolverOfMinres, SolverOfGmres,
               SolverOfBicgstab>
      solver;
  LinearSolveReport chosen;  ///< method, preconditioner and reasons, before a solve
  std::string why_none;
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
