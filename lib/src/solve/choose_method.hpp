#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/solve/solve.hpp>

namespace ashlar::impl {

inline bool needs_symmetry(SolveMethod method) { return method == SolveMethod::cg || method == SolveMethod::minres; }

/// The method asked for, if the matrix is of its kind, or the one for the matrix; says why in the report. `has_gmres`:
/// the vectors of GMRES are there. Waits for `exec`.
///
/// Throws   NumericalError if the method is for symmetric matrices and A is not symmetric, or an entry not finite.
template <class Scalar>
SolveMethod choose_method(const Kokkos::DefaultExecutionSpace& exec, const BcsrMatrix<Scalar>& a,
                          const LinearSolveOptions& options, bool has_gmres, LinearSolveReport& report);

}  // namespace ashlar::impl
