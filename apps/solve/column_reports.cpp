#include "solve/column_reports.hpp"

#include <algorithm>
#include <cstddef>

namespace ashlar::app {

SolveReport summary_of(const BlockSolveReport& block, std::int64_t bytes_of_step) {
  SolveReport report;
  report.status = block.status;
  report.iterations = block.iterations;
  report.residual_history.assign(block.iterations + 1, 0);
  for (const ColumnReport& column : block.columns) {
    report.relative_residual = larger(report.relative_residual, column.relative_residual);
    report.preconditioned_residual = larger(report.preconditioned_residual, column.preconditioned_residual);
    for (std::size_t k = 0; k < report.residual_history.size() && !column.residual_history.empty(); ++k) {
      const double residual = column.residual_history[std::min(k, column.residual_history.size() - 1)];
      report.residual_history[k] = larger(report.residual_history[k], residual);
    }
  }
  report.bytes_moved = bytes_of_step * (block.iterations + 2);
  return report;
}

ColumnReport column_of(const SolveReport& report) {
  ColumnReport column;
  column.status = report.status;
  column.iterations = report.iterations;
  column.relative_residual = report.relative_residual;
  column.preconditioned_residual = report.preconditioned_residual;
  column.residual_history = report.residual_history;
  return column;
}

void add_next(SolveReport& sum, const SolveReport& next) {
  if (sum.status == SolveStatus::converged || next.status == SolveStatus::interrupted) sum.status = next.status;
  sum.iterations += next.iterations;
  sum.products += next.products;
  sum.bytes_moved += next.bytes_moved;
  sum.relative_residual = larger(sum.relative_residual, next.relative_residual);
  sum.preconditioned_residual = larger(sum.preconditioned_residual, next.preconditioned_residual);
  sum.residual_history.insert(sum.residual_history.end(), next.residual_history.begin(), next.residual_history.end());
  sum.true_residuals.insert(sum.true_residuals.end(), next.true_residuals.begin(), next.true_residuals.end());
  if (sum.launch.empty()) sum.launch = next.launch;
  if (sum.warning.empty()) sum.warning = next.warning;
  sum.iterates_in_kernel = sum.iterates_in_kernel || next.iterates_in_kernel;
}

}  // namespace ashlar::app
