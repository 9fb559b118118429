#pragma once

#include <ashlar/krylov/report.hpp>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

// Solving with arrays: the compiled entry to the library. This header needs neither Kokkos nor templates of the
// library.

namespace ashlar {

enum class SolveMethod { automatic, cg, minres, gmres, bicgstab };
enum class SolvePreconditioner { automatic, none, jacobi, block_jacobi };

/// "block_jacobi": the names in reports.
std::string_view to_string(SolveMethod method);
std::string_view to_string(SolvePreconditioner preconditioner);

struct SolveOptions {
  SolveMethod method = SolveMethod::automatic;
  SolvePreconditioner preconditioner = SolvePreconditioner::automatic;
  double rtol = 1e-8;  ///< converged when ||b - A x|| <= max(rtol * ||b||, atol)
  double atol = 0;
  int max_iterations = 10000;
  int restart = 30;    ///< iterations of a cycle of GMRES
  int block_size = 0;  ///< unknowns a node, for CSR arrays; 0: the size with which a product reads the fewest bytes
};

/// A report with what `automatic` chose.
struct LinearSolveReport : SolveReport {
  SolveMethod method = SolveMethod::automatic;  ///< the one that ended the solve
  SolvePreconditioner preconditioner = SolvePreconditioner::automatic;
  std::string why;  ///< reasons for both, in a sentence
  int block_size = 1;
};

/// A square sparse matrix by rows (CSR) in the caller's arrays on the host, which outlive the view.
///
/// Shapes   row_ptr has num_rows + 1 entries; the entries of row i are those from row_ptr[i] to row_ptr[i + 1] - 1 of
///          col_idx and values, in any order. Entries of one place are added.
template <class Offset, class Ordinal, class Scalar>
struct CsrView {
  std::span<const Offset> row_ptr;
  std::span<const Ordinal> col_idx;
  std::span<const Scalar> values;

  CsrView(const std::vector<Offset>& row_ptr, const std::vector<Ordinal>& col_idx, const std::vector<Scalar>& values)
      : row_ptr(row_ptr), col_idx(col_idx), values(values) {}
  CsrView(std::span<const Offset> row_ptr, std::span<const Ordinal> col_idx, std::span<const Scalar> values)
      : row_ptr(row_ptr), col_idx(col_idx), values(values) {}
};

/// Solves A x = b on the default device. The method follows from the matrix: CG if it is symmetric, MINRES if CG then
/// finds it indefinite, else GMRES, or BiCGStab if memory is short. The preconditioner is block-Jacobi if all diagonal
/// blocks have inverses, else none.
///
/// Types    indices of 32 or 64 bits, values of float or double.
/// Shapes   b and x have num_rows entries. x holds the first guess, and then the solution.
/// Memory   arrays on the host; the matrix is copied twice there and once to the device.
/// Async    none: it returns when x is there. Kokkos is initialised.
/// Result   the status and the true residual ||b - A x|| / ||b||, computed from the final x.
/// Throws   Error if Kokkos is not initialised; ShapeError, StructureError, NumericalError (a method for symmetric
///          matrices, and A is not symmetric) and ArgumentError before any work.
template <class Offset, class Ordinal, class Scalar>
LinearSolveReport solve(const CsrView<Offset, Ordinal, Scalar>& a, std::span<const std::type_identity_t<Scalar>> b,
                        std::span<std::type_identity_t<Scalar>> x, const SolveOptions& options = {});

}  // namespace ashlar
