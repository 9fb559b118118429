#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/solve/solve.hpp>
#include <type_traits>

namespace ashlar {

/// Solves A x = b for a matrix and vectors on the device, as solve() with arrays does. Scalar is float or double.
///
/// Shapes   A is square in square blocks; b and x have a.num_rows() entries. x holds the first guess, and then the
///          solution.
/// Memory   allocates the vectors of the method, and the diagonal blocks for a preconditioner.
/// Async    waits for `exec`.
/// Throws   as solve() with arrays.
template <class Scalar>
LinearSolveReport solve(const Kokkos::DefaultExecutionSpace& exec, const BcsrMatrix<Scalar>& a,
                        const std::type_identity_t<Kokkos::View<const Scalar*>>& b,
                        const std::type_identity_t<Kokkos::View<Scalar*>>& x, const LinearSolveOptions& options = {});

}  // namespace ashlar
