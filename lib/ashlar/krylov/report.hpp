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

/// One sentence on what it means and what to do, for people.
std::string_view describe(SolveStatus status);

/// What a solver says of a solve.
struct SolveReport {
  SolveStatus status = SolveStatus::running;
  int iterations = 0;
  /// With the matrix. Those are among them that were enqueued after the end, before the host noticed.
  std::int64_t products = 0;
  double relative_residual = 0;  ///< ||b - A x|| / ||b||, computed from x at the end
  /// ||M^-1 (b - A x)|| / ||M^-1 b||, computed from x at the end; without a preconditioner the same as
  /// relative_residual.
  double preconditioned_residual = 0;
  /// Of the recurrence, in the norm asked for (ResidualNorm): entry k is ||r_k|| / ||b|| after k iterations.
  std::vector<double> residual_history;
  std::int64_t bytes_moved = 0;  ///< by the byte models of operator, preconditioner and vector steps
  std::string launch = {};       ///< how iterations reached the device, and why so: for people
  std::string warning = {};      ///< what to know beside the status, in a sentence; empty: nothing
  /// Whether one kernel of the device made the iterations, over ranks one of each (CgKernel): then nobody outside knows
  /// how long it waits in there. False where there were none to make.
  bool iterates_in_kernel = false;
};

}  // namespace ashlar
