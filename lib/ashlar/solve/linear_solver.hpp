#pragma once

#include <ashlar/solve/solve.hpp>
#include <memory>
#include <span>

namespace ashlar {

/// Solves A x = b with arrays, many times: it keeps the matrix, the preconditioner and the memory of the method on the
/// default device. The method and the preconditioner are chosen as solve() does. Needs neither Kokkos nor templates of
/// the library.
///
///     ashlar::LinearSolver solver(ashlar::CsrView(row_ptr, col_idx, values), {.rtol = 1e-10});
///     solver.solve(b, x);
///     solver.solve(other_b, x);
///     solver.update_values(values);   // other values, in the same places
///     solver.solve(b, x);
///
/// Types    as solve(). A member of a class is a LinearSolver<double>, or of float.
/// Memory   the arrays may go or change when the constructor has returned. The structure stays on the host, as it was
///          given, and the matrix on the device. Solves after the first allocate nothing.
/// Async    none. Kokkos is initialised for as long as the solver lives. One thread at a time calls a solver.
template <class Scalar>
class LinearSolver {
 public:
  /// Throws   as solve().
  template <class Offset, class Ordinal>
  requires impl::solves_arrays<Offset, Ordinal, Scalar>
  explicit LinearSolver(const CsrView<Offset, Ordinal, Scalar>& a, const LinearSolveOptions& options = {});
  template <class Offset, class Ordinal>
  requires impl::solves_arrays<Offset, Ordinal, Scalar>
  explicit LinearSolver(const BcsrView<Offset, Ordinal, Scalar>& a, const LinearSolveOptions& options = {});

  LinearSolver(LinearSolver&&) noexcept;
  LinearSolver& operator=(LinearSolver&&) noexcept;
  ~LinearSolver();

  /// Solves A x = b from what x holds.
  ///
  /// Shapes   b and x have num_rows entries.
  /// Throws   ShapeError; Error if the last update_values() has thrown NumericalError.
  LinearSolveReport solve(std::span<const Scalar> b, std::span<Scalar> x);

  /// New values in the same structure, in the order of the arrays that the solver was made of. The method is chosen
  /// again. The preconditioner stays, and takes the new values: multigrid keeps its aggregates and structures, and
  /// block-Jacobi its memory. It is chosen again only if the matrix is no longer symmetric, or is so now, or if the
  /// preconditioner cannot be set up.
  ///
  /// Shapes   as many values as there were.
  /// Throws   ShapeError, and the solver is as it was; NumericalError as solve(). Then call it with other values before
  ///          the next solve.
  void update_values(std::span<const Scalar> values);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ashlar
