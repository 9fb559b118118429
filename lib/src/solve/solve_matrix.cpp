#include <ashlar/solve/solve_matrix.hpp>

#include <ashlar/amg/near_null_space.hpp>
#include <ashlar/amg/preconditioner.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/symmetry.hpp>
#include <ashlar/device/memory/available_memory.hpp>
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
#include <string>
#include <utility>

namespace ashlar {

std::string_view to_string(SolveMethod method) {
  constexpr std::string_view names[] = {"automatic", "cg", "minres", "gmres", "bicgstab"};
  return names[static_cast<int>(method)];
}

std::string_view to_string(SolvePreconditioner preconditioner) {
  constexpr std::string_view names[] = {"automatic", "none", "jacobi", "block_jacobi", "amg"};
  return names[static_cast<int>(preconditioner)];
}

namespace {

using Exec = Kokkos::DefaultExecutionSpace;

/// The method asked for, if the matrix is of its kind, or the one for the matrix; says why in the report.
template <class Scalar>
SolveMethod choose_method(const Exec& exec, const BcsrMatrix<Scalar>& a, const LinearSolveOptions& options,
                          LinearSolveReport& report) {
  constexpr double tolerance = sizeof(Scalar) == sizeof(double) ? 1e-10 : 1e-5;
  const bool is_automatic = options.method == SolveMethod::automatic;
  const bool needs_symmetry = options.method == SolveMethod::cg || options.method == SolveMethod::minres;
  if (!is_automatic && !needs_symmetry) return options.method;
  const auto defect = hermitian_defect(exec, a);
  if (defect.relative <= tolerance) {
    report.why = "the matrix is symmetric";
    return is_automatic ? SolveMethod::cg : options.method;
  }
  const auto at = [](std::int64_t row, std::int64_t column) { return text("(", row, ", ", column, ")"); };
  for (const auto& [place, entry] :
       {std::pair(at(defect.row, defect.column), defect.a_ij), std::pair(at(defect.column, defect.row), defect.a_ji)}) {
    if (is_finite(entry)) continue;
    throw NumericalError(text("ashlar::solve: entry ", place, " of the matrix is ", entry),
                         "every entry must be finite; rows are counted from 0", "find out where it comes from");
  }
  if (!is_automatic) {
    throw NumericalError(
        text("ashlar::solve: the matrix is not symmetric: entries ", at(defect.row, defect.column), " and ",
             at(defect.column, defect.row), " differ by ", defect.relative, " of the diagonal of these rows"),
        text(to_string(options.method), " solves symmetric systems; rows are counted from 0"),
        "take SolveMethod::automatic, gmres or bicgstab");
  }
  report.why = "the matrix is not symmetric";
  const std::uint64_t needed = gmres_bytes(a.num_rows(), sizeof(Scalar), true, options.restart);
  if (2 * needed <= available_bytes<Exec::memory_space>()) return SolveMethod::gmres;
  report.why += ", and there is too little memory for the vectors of GMRES";
  return SolveMethod::bicgstab;
}

/// Rigid-body modes, if there are coordinates, or constants.
template <class Scalar>
AnyPreconditioner<Scalar, Exec> make_amg(const Exec& exec, const BcsrMatrix<Scalar>& a,
                                         const LinearSolveOptions& options) {
  using Space = Exec::memory_space;
  const auto given = options.coordinates;
  if (given.empty()) {
    const auto modes = amg::constant_modes<Space>(exec, a.num_block_rows(), a.block_size());
    return AnyPreconditioner<Scalar, Exec>(amg::Preconditioner<BcsrMatrix<Scalar>>(exec, a, modes));
  }
  if (options.dimensions < 1 || std::int64_t(given.size()) != std::int64_t(a.num_block_rows()) * options.dimensions) {
    throw ShapeError(
        text("ashlar::solve: ", given.size(), " coordinates in ", options.dimensions, " dimensions"),
        text("the matrix has ", a.num_block_rows(), " nodes, which are its block rows of size ", a.block_size()),
        "pass one for each node and dimension, and the block size");
  }
  const Kokkos::View<double*> there("ashlar::solve::coordinates", given.size());
  using Here = Kokkos::View<const double*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  Kokkos::deep_copy(exec, there, Here(given.data(), given.size()));
  const auto modes = amg::rigid_body_modes<Space>(exec, there, options.dimensions, a.block_size());
  return AnyPreconditioner<Scalar, Exec>(amg::Preconditioner<BcsrMatrix<Scalar>>(exec, a, modes));
}

template <class Scalar>
AnyPreconditioner<Scalar, Exec> make_preconditioner(const Exec& exec, const BcsrMatrix<Scalar>& a,
                                                    const LinearSolveOptions& options, LinearSolveReport& report,
                                                    std::string& why_none) {
  const SolvePreconditioner asked = options.preconditioner;
  using Any = AnyPreconditioner<Scalar, Exec>;
  report.preconditioner = asked;
  switch (asked) {
    case SolvePreconditioner::jacobi:
      return Any(JacobiPreconditioner<BcsrMatrix<Scalar>>(exec, a));
    case SolvePreconditioner::block_jacobi:
      return Any(BlockJacobiPreconditioner<BcsrMatrix<Scalar>>(exec, a));
    case SolvePreconditioner::amg:
      return make_amg(exec, a, options);
    case SolvePreconditioner::automatic:
      try {
        report.preconditioner = SolvePreconditioner::block_jacobi;
        return Any(BlockJacobiPreconditioner<BcsrMatrix<Scalar>>(exec, a));
      } catch (const NumericalError& error) {
        why_none = "no preconditioner: " + error.problem();
      }
      break;
    case SolvePreconditioner::none:
      break;
  }
  report.preconditioner = SolvePreconditioner::none;
  return Any(IdentityPreconditioner());
}

/// By CG or, if that finds the matrix indefinite, MINRES.
template <class... Arguments>
SolveReport solve_symmetric(LinearSolveReport& report, const Arguments&... arguments) {
  SymmetricSolve found = symmetric_solve(arguments...);
  if (found.by_minres) report.method = SolveMethod::minres;
  if (found.without_preconditioner) report.preconditioner = SolvePreconditioner::none;
  report.why += found.but();
  return std::move(found.report);
}

}  // namespace

template <class Scalar>
LinearSolveReport solve(const Exec& exec, const BcsrMatrix<Scalar>& a,
                        const std::type_identity_t<Kokkos::View<const Scalar*>>& b,
                        const std::type_identity_t<Kokkos::View<Scalar*>>& x, const LinearSolveOptions& options) {
  if (a.num_rows() != a.num_cols()) {
    throw ShapeError(text("ashlar::solve: a matrix of ", a.num_rows(), " rows and ", a.num_cols(), " columns"),
                     "only a square system can be solved", "check how the matrix was built");
  }
  if (options.restart < 1 || options.restart > 1000) {
    throw ArgumentError(text("ashlar::solve: restart ", options.restart), "a cycle of GMRES has 1 to 1000 iterations",
                        "30 is usual");
  }
  LinearSolveReport report;
  report.block_size = a.block_size();
  report.method = choose_method(exec, a, options, report);
  const AnyOperator<Scalar, Exec> op(BcsrOperator<BcsrMatrix<Scalar>>(exec, a));
  std::string why_none;
  const auto m = make_preconditioner(exec, a, options, report, why_none);
  const SolverOptions common{.rtol = options.rtol, .atol = options.atol, .max_iterations = options.max_iterations};
  CgOptions of_cg;
  of_cg.rtol = options.rtol;
  of_cg.atol = options.atol;
  of_cg.max_iterations = options.max_iterations;
  SolveReport& solved = report;
  switch (report.method) {
    case SolveMethod::minres:
      solved = minres(exec, op, m, b, x, common);
      break;
    case SolveMethod::gmres:
      solved = gmres(exec, op, m, b, x,
                     {.rtol = options.rtol,
                      .atol = options.atol,
                      .max_iterations = options.max_iterations,
                      .restart = options.restart});
      break;
    case SolveMethod::bicgstab:
      solved = bicgstab(exec, op, m, b, x, common);
      break;
    case SolveMethod::automatic:
    case SolveMethod::cg:
      solved = options.method == SolveMethod::cg ? cg(exec, op, m, b, x, of_cg)
                                                 : solve_symmetric(report, exec, op, m, b, x, of_cg);
      break;
  }
  if (!why_none.empty()) report.why += (report.why.empty() ? "" : "; ") + why_none;
  return report;
}

template LinearSolveReport solve(const Exec&, const BcsrMatrix<float>&, const Kokkos::View<const float*>&,
                                 const Kokkos::View<float*>&, const LinearSolveOptions&);
template LinearSolveReport solve(const Exec&, const BcsrMatrix<double>&, const Kokkos::View<const double*>&,
                                 const Kokkos::View<double*>&, const LinearSolveOptions&);

}  // namespace ashlar
