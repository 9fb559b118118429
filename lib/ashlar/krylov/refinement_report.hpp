#pragma once

#include <ashlar/krylov/report.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace ashlar {

/// What iterative refinement says of a solve. All residuals are true ones, of the matrix itself.
struct RefinementReport {
  SolveStatus status = SolveStatus::running;
  int steps = 0;                  ///< corrections computed, each by a solve with the cheaper matrix
  int iterations = 0;             ///< of those solves together
  std::int64_t products = 0;      ///< with the matrix itself: one more than steps
  std::int64_t low_products = 0;  ///< with the cheaper one: SolveReport::products of those solves together
  double relative_residual = 0;   ///< ||b - A x|| / ||b|| of the final x
  /// Entry k is ||b - A x|| / ||b|| after k steps. Where the last is not smaller than the one before, x was left as it
  /// was.
  std::vector<double> residual_history;
  std::string warning = {};      ///< SolveReport::warning of the step that ended the solve
  std::int64_t bytes_moved = 0;  ///< by the byte models of both operators, preconditioner and vector steps
};

}  // namespace ashlar
