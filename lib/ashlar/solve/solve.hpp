#pragma once

#include <ashlar/krylov/report.hpp>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

// Solving with arrays: the compiled entry to the library. This header needs neither Kokkos nor templates of the
// library. linear_solver.hpp keeps the matrix from one solve to the next.

namespace ashlar {

enum class SolveMethod { automatic, cg, minres, gmres, bicgstab };
/// ilu0 and ssor run on CPUs alone.
enum class SolvePreconditioner { automatic, none, jacobi, block_jacobi, amg, ilu0, ssor };

/// "block_jacobi": the names in reports.
std::string_view to_string(SolveMethod method);
std::string_view to_string(SolvePreconditioner preconditioner);

/// Options of solve().
struct LinearSolveOptions {
  SolveMethod method = SolveMethod::automatic;
  SolvePreconditioner preconditioner = SolvePreconditioner::automatic;
  double rtol = 1e-8;  ///< converged when ||b - A x|| <= max(rtol * ||b||, atol)
  double atol = 0;
  int max_iterations = 10000;
  int restart = 30;  ///< iterations of a cycle of GMRES, 1 to 1000
  /// Unknowns a node, for CSR arrays. 0: as many as coordinates tell, or else the size with which a product reads the
  /// fewest bytes.
  int block_size = 0;
  /// For amg: coordinates of the nodes of an elastic body, node after node, so that its coarse levels represent
  /// rigid-body modes. Without, they represent a constant for each unknown of a node.
  std::span<const double> coordinates = {};
  int dimensions = 3;  ///< of the coordinates, 2 or 3
  /// For amg, in place of coordinates: 1 to 64 vectors that A maps nearly to zero, each of num_rows entries, one vector
  /// after another.
  std::span<const double> near_null_space = {};
};

/// A report with what `automatic` chose.
struct LinearSolveReport : SolveReport {
  SolveMethod method = SolveMethod::automatic;  ///< the one that ended the solve
  SolvePreconditioner preconditioner = SolvePreconditioner::automatic;
  std::string why;  ///< reasons for what was chosen, in a sentence that continues "as"
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

template <class Offset, class Ordinal, class Scalar>
CsrView(std::span<Offset>, std::span<Ordinal>, std::span<Scalar>)
    -> CsrView<std::remove_const_t<Offset>, std::remove_const_t<Ordinal>, std::remove_const_t<Scalar>>;

/// The order of values in a block: row after row, as in C, or column after column, as in Fortran.
enum class BlockLayout { row_major, column_major };

/// A square sparse matrix of dense square blocks by block rows (BCSR, BSR) in the caller's arrays on the host, which
/// outlive the view.
///
/// Shapes   row_ptr has num_block_rows + 1 entries; the blocks of block row i are those from row_ptr[i] to
///          row_ptr[i + 1] - 1, in any order. col_idx has the block column of each, and values block_size^2 entries for
///          each. Blocks of one place are added.
template <class Offset, class Ordinal, class Scalar>
struct BcsrView {
  int block_size;
  std::span<const Offset> row_ptr;
  std::span<const Ordinal> col_idx;
  std::span<const Scalar> values;
  BlockLayout layout;

  BcsrView(int block_size, const std::vector<Offset>& row_ptr, const std::vector<Ordinal>& col_idx,
           const std::vector<Scalar>& values, BlockLayout layout)
      : block_size(block_size), row_ptr(row_ptr), col_idx(col_idx), values(values), layout(layout) {}
  BcsrView(int block_size, std::span<const Offset> row_ptr, std::span<const Ordinal> col_idx,
           std::span<const Scalar> values, BlockLayout layout)
      : block_size(block_size), row_ptr(row_ptr), col_idx(col_idx), values(values), layout(layout) {}
};

template <class Offset, class Ordinal, class Scalar>
BcsrView(int, std::span<Offset>, std::span<Ordinal>, std::span<Scalar>, BlockLayout)
    -> BcsrView<std::remove_const_t<Offset>, std::remove_const_t<Ordinal>, std::remove_const_t<Scalar>>;

namespace impl {

/// The types that the library has compiled solve() for.
template <class Offset, class Ordinal, class Scalar>
inline constexpr bool solves_arrays = (std::is_same_v<Offset, std::int64_t> ||
                                       (std::is_same_v<Offset, std::int32_t> && std::is_same_v<Offset, Ordinal>)) &&
                                      (std::is_same_v<Ordinal, std::int32_t> ||
                                       std::is_same_v<Ordinal, std::int64_t>)&&(std::is_same_v<Scalar, float> ||
                                                                                std::is_same_v<Scalar, double>);

}  // namespace impl

/// Solves A x = b on the default device. The method follows from the matrix: CG if it is symmetric, MINRES if CG then
/// finds it indefinite, else GMRES, or BiCGStab if memory is short.
///
/// The preconditioner is algebraic multigrid if the matrix is symmetric and a cost model expects amg to be faster
/// (amg::choose): for large systems of diffusion, or of elasticity with coordinates or a near-null space. Else, and if
/// amg cannot be set up, it is block-Jacobi if all diagonal blocks have inverses, else none.
///
/// It is LinearSolver, for one solve.
///
/// Types    row_ptr and col_idx of std::int32_t, of std::int64_t, or of std::int64_t and std::int32_t; values, b and x
///          of float or of double.
/// Shapes   b and x have num_rows entries. x holds the first guess, and then the solution.
/// Memory   arrays on the host; the matrix is copied twice there and once to the device, and its structure stays.
/// Async    none: it returns when x is there. Kokkos is initialised.
/// Result   the status and the true residual ||b - A x|| / ||b||, computed from the final x.
/// Throws   before the solve, x as it was: Error if Kokkos is not initialised; ArgumentError for an option; ShapeError
///          and StructureError for the arrays, and for coordinates or a near-null space if amg may be chosen;
///          BlockSizeError if the blocks asked for do not divide the rows; NumericalError if a method for symmetric
///          matrices is asked for and A is not symmetric, if an entry is not finite, or if the preconditioner asked for
///          does not exist.
template <class Offset, class Ordinal, class Scalar>
requires impl::solves_arrays<Offset, Ordinal, Scalar> LinearSolveReport
solve(const CsrView<Offset, Ordinal, Scalar>& a, std::span<const std::type_identity_t<Scalar>> b,
      std::span<std::type_identity_t<Scalar>> x, const LinearSolveOptions& options = {});

/// The same for blocks.
template <class Offset, class Ordinal, class Scalar>
requires impl::solves_arrays<Offset, Ordinal, Scalar> LinearSolveReport
solve(const BcsrView<Offset, Ordinal, Scalar>& a, std::span<const std::type_identity_t<Scalar>> b,
      std::span<std::type_identity_t<Scalar>> x, const LinearSolveOptions& options = {});

}  // namespace ashlar
