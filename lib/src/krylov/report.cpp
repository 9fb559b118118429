#include <ashlar/krylov/report.hpp>

namespace ashlar {

std::string_view to_string(SolveStatus status) {
  switch (status) {
    case SolveStatus::running:
      return "running";
    case SolveStatus::converged:
      return "converged";
    case SolveStatus::iteration_limit:
      return "iteration_limit";
    case SolveStatus::indefinite_matrix:
      return "indefinite_matrix";
    case SolveStatus::breakdown:
      return "breakdown";
    case SolveStatus::non_finite:
      return "non_finite";
    case SolveStatus::stagnation:
      return "stagnation";
    case SolveStatus::interrupted:
      return "interrupted";
  }
  return "unknown";
}

std::string_view describe(SolveStatus status) {
  switch (status) {
    case SolveStatus::running:
      return "still running";
    case SolveStatus::converged:
      return "converged";
    case SolveStatus::iteration_limit:
      return "the iteration limit came before convergence (slow or no convergence); raise the limit, or take a "
             "stronger preconditioner";
    case SolveStatus::indefinite_matrix:
      return "the matrix is not positive definite (a direction with p^H A p <= 0 was met); CG needs one that is";
    case SolveStatus::breakdown:
      return "the preconditioner is not positive definite (r^H M^-1 r <= 0 was met); take another";
    case SolveStatus::non_finite:
      return "NaN or infinity came up (in the data, or by overflow); check matrix and right-hand side";
    case SolveStatus::stagnation:
      return "the residual no longer falls (the tolerance is below what rounding allows for this matrix); loosen the "
             "tolerance, or scale the matrix";
    case SolveStatus::interrupted:
      return "it was stopped before convergence; x is the last iterate";
  }
  return "unknown";
}

}  // namespace ashlar
