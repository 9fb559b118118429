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
  stagnation,         ///< the residual no longer falls
  interrupted,        ///< the monitor stopped it
};

/// "iteration_limit": the name in reports.
std::string_view to_string(SolveStatus status);

/// One sentence on what it means and what to do, for people.
std::string_view describe(SolveStatus status);

/// What a solver says of a solve.
struct SolveReport {
  SolveStatus status = SolveStatus::running;
  int iterations = 0;
  /// With the matrix. Those are among them that were enqueued after the end, before the host noticed.
  std::int64_t products = 0;
  double relative_residual = 0;          ///< ||b - A x|| / ||b||, computed anew from x at the end
  std::vector<double> residual_history;  ///< of the recurrence: entry k is ||r_k|| / ||b|| after k iterations
  std::int64_t bytes_moved = 0;          ///< by the byte models of operator, preconditioner and vector steps
  std::string launch = {};               ///< how iterations reached the device, and why so: for people
  /// Whether one kernel of the device made the iterations, over ranks one of each (CgKernel): then nobody outside knows
  /// how long it waits in there. False where there were none to make.
  bool iterates_in_kernel = false;
};

}  // namespace ashlar
