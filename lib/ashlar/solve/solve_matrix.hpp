#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/solve/solve.hpp>
#include <memory>
#include <type_traits>

namespace ashlar {

/// LinearSolver for a matrix and vectors on the device. Scalar is float or double.
///
///     ashlar::BcsrSolver solver(exec, a);
///     solver.solve(b, x);
///     ...                        // write a.values()
///     solver.values_changed();
///     solver.solve(b, x);
///
/// Shapes   A is square in square blocks; b and x have a.num_rows() entries.
/// Memory   shares A; the preconditioner, and the vectors of the method. Solves after the first allocate nothing if x
///          is where it was.
/// Async    all work is enqueued on `exec`, and waited for. One thread at a time calls a solver.
/// Throws   the constructor: as solve() with arrays.
template <class Scalar>
class BcsrSolver {
 public:
  BcsrSolver(const Kokkos::DefaultExecutionSpace& exec, const BcsrMatrix<Scalar>& a,
             const LinearSolveOptions& options = {});
  BcsrSolver(BcsrSolver&&) noexcept;
  BcsrSolver& operator=(BcsrSolver&&) noexcept;
  ~BcsrSolver();

  /// Solves A x = b from what x holds.
  ///
  /// Throws   ShapeError; Error if the last values_changed() has thrown.
  LinearSolveReport solve(const Kokkos::View<const Scalar*>& b, const Kokkos::View<Scalar*>& x);

  /// The values of A have been overwritten. Method and preconditioner follow as in LinearSolver::update_values().
  ///
  /// Throws   NumericalError as solve(). Then write other values and call it again before the next solve.
  void values_changed();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Solves A x = b for a matrix and vectors on the device, as solve() with arrays does: BcsrSolver, for one solve.
///
/// Shapes, Async, Throws   as BcsrSolver.
/// Memory   allocates the vectors of the method, and the diagonal blocks for a preconditioner.
template <class Scalar>
LinearSolveReport solve(const Kokkos::DefaultExecutionSpace& exec, const BcsrMatrix<Scalar>& a,
                        const std::type_identity_t<Kokkos::View<const Scalar*>>& b,
                        const std::type_identity_t<Kokkos::View<Scalar*>>& x, const LinearSolveOptions& options = {}) {
  return BcsrSolver<Scalar>(exec, a, options).solve(b, x);
}

}  // namespace ashlar
