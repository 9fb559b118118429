#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ashlar {

/// How a solve ended.
enum class SolveStatus {
  running,            ///< not ended: never in a report
  converged,          ///< the true residual is small enough
  iteration_limit,    ///< max_iterations came first
  indefinite_matrix,  ///< a direction with p^H A p <= 0: the matrix is not positive definite
  breakdown,          ///< r^H M^-1 r <= 0 with r != 0: the preconditioner is not positive definite
  non_finite,         ///< NaN or infinity in matrix, right-hand side or iterates
  stagnation,         ///< neither the residual nor the error falls any more, short of what rounding allows
  accuracy_limit,     ///< the true residual is as small as rounding allows, which is more than was asked for
  diverged,           ///< the residual is larger than at the start: the matrix is not symmetric, say
  interrupted,        ///< the monitor stopped it
};

/// "iteration_limit": the name in reports.
std::string_view to_string(SolveStatus status);

/// One sentence for people on its meaning and the next step.
std::string_view describe(SolveStatus status);

/// What a solver says of a solve.
struct SolveReport {
  SolveStatus status = SolveStatus::running;
  int iterations = 0;
  /// Products with the matrix. The count includes products enqueued after the end, before the host noticed.
  std::int64_t products = 0;
  double relative_residual = 0;  ///< ||b - A x|| / ||b||, computed from x at the end
  /// ||M^-1 (b - A x)|| / ||M^-1 b||, computed from x at the end; without a preconditioner the same as
  /// relative_residual.
  double preconditioned_residual = 0;
  /// The residuals of the recurrence, in the requested norm (ResidualNorm): entry k is ||r_k|| / ||b|| after k
  /// iterations.
  std::vector<double> residual_history;
  /// True residuals in the requested norm, ||b - A x|| / ||b|| computed from x, at the start and each time that the
  /// recurrence ended. A resumed solve begins a new list.
  std::vector<double> true_residuals = {};
  std::int64_t bytes_moved = 0;  ///< by the byte models of operator, preconditioner and vector steps
  std::string launch = {};       ///< how iterations reached the device, and why so: for people
  std::string warning = {};      ///< what to know beside the status, in a sentence; empty: nothing
  /// True if one kernel of the device made the iterations, over ranks one of each (CgKernel): then nobody outside knows
  /// how long it waits in there. False where there were none to make.
  bool iterates_in_kernel = false;
};

/// A block solver's report on one right-hand side.
struct ColumnReport {
  SolveStatus status = SolveStatus::running;  ///< of what ended the solve, where this column had not converged
  int iterations = 0;                         ///< block steps until this column had converged, or all there were
  double relative_residual = 0;               ///< ||b - A x|| / ||b||, computed from x at the end; 0 where b is 0
  double preconditioned_residual = 0;         ///< ||M^-1 (b - A x)|| / ||M^-1 b||, as SolveReport has it
  std::vector<double> residual_history;       ///< of the recurrence: entry k is ||r_k|| / ||b|| after k block steps
};

/// A block solver's report on a solve with several right-hand sides.
struct BlockSolveReport {
  SolveStatus status = SolveStatus::running;  ///< converged where all columns have; else of what ended it
  int iterations = 0;                         ///< block steps, each one product with several vectors
  int restarts = 0;                           ///< from a true residual that did not bear out the recurrence's
  std::vector<ColumnReport> columns;
  /// Directions: entry k in block step k. Fewer than right-hand sides where some of those depend on
  /// others, or had converged at the start.
  std::vector<int> num_directions;
};

/// The report of iterative refinement. All residuals are true ones, of the matrix itself.
struct RefinementReport {
  SolveStatus status = SolveStatus::running;
  int steps = 0;                  ///< updates of x and of the residual, each after iterations with the cheaper matrix
  int iterations = 0;             ///< with the cheaper matrix
  std::int64_t products = 0;      ///< with the matrix itself: one more than steps
  std::int64_t low_products = 0;  ///< with the cheaper one, those enqueued after the end of a step included
  double relative_residual = 0;   ///< ||b - A x|| / ||b|| of the final x
  /// Entry k is ||b - A x|| / ||b|| after k steps. Where the last is not smaller than the one before, x was left as it
  /// was.
  std::vector<double> residual_history;
  std::string launch = {};       ///< SolveReport::launch, of the iterations
  std::string warning = {};      ///< SolveReport::warning
  std::int64_t bytes_moved = 0;  ///< by the byte models of both operators, preconditioner and vector steps
};

}  // namespace ashlar
