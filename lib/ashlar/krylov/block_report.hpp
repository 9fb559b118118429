#pragma once

#include <ashlar/krylov/report.hpp>
#include <vector>

namespace ashlar {

/// What a block solver says of one right-hand side.
struct ColumnReport {
  SolveStatus status = SolveStatus::running;  ///< of what ended the solve, where this column had not converged
  int iterations = 0;                         ///< block steps until this column had converged, or all there were
  double relative_residual = 0;               ///< ||b - A x|| / ||b||, computed from x at the end; 0 where b is 0
  double preconditioned_residual = 0;         ///< ||M^-1 (b - A x)|| / ||M^-1 b||, as SolveReport has it
  std::vector<double> residual_history;       ///< of the recurrence: entry k is ||r_k|| / ||b|| after k block steps
};

/// What a block solver says of a solve with several right-hand sides.
struct BlockSolveReport {
  SolveStatus status = SolveStatus::running;  ///< converged where all columns have; else of what ended it
  int iterations = 0;                         ///< block steps, each one product with several vectors
  int restarts = 0;                           ///< from a true residual that did not bear out the recurrence's
  std::vector<ColumnReport> columns;
  /// Directions: entry k in block step k. Fewer than right-hand sides where some of those depend on
  /// others, or had converged at the start.
  std::vector<int> num_directions;
};

}  // namespace ashlar
