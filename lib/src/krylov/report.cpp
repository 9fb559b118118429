#include <ashlar/krylov/report.hpp>
#include <ashlar/krylov/stopping.hpp>

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
    case SolveStatus::accuracy_limit:
      return "accuracy_limit";
    case SolveStatus::diverged:
      return "diverged";
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
      return "the matrix is not positive definite (a direction with p^H A p <= 0 was found); CG needs one that is, "
             "and MINRES solves symmetric systems of any kind";
    case SolveStatus::breakdown:
      return "the preconditioner is not positive definite (r^H M^-1 r <= 0 was found); Jacobi and block-Jacobi are "
             "positive definite if the matrix is, and CG and MINRES need one that is; of BiCGStab: its first step "
             "from x fails, take GMRES";
    case SolveStatus::non_finite:
      return "NaN or infinity came up (in the data, or by overflow); check matrix and right-hand side";
    case SolveStatus::stagnation:
      return "neither the residual nor the error falls any more; take a stronger preconditioner, or a longer "
             "stagnation window; singular systems end so if b is not in the range of the matrix";
    case SolveStatus::accuracy_limit:
      return "the residual is as small as rounding allows for this matrix, which is above the tolerance; loosen the "
             "tolerance, or scale the matrix; x is the best that was found";
    case SolveStatus::diverged:
      return "the residual grew instead of falling; CG needs a symmetric positive definite matrix, MINRES a symmetric "
             "one, and GMRES may converge if BiCGStab does not; x is the best that was found";
    case SolveStatus::interrupted:
      return "it was stopped before convergence; x is the last iterate";
  }
  return "unknown";
}

std::string_view to_string(ResidualNorm norm) {
  switch (norm) {
    case ResidualNorm::unpreconditioned:
      return "unpreconditioned";
    case ResidualNorm::preconditioned:
      return "preconditioned";
    case ResidualNorm::natural:
      return "natural";
  }
  return "unknown";
}

}  // namespace ashlar
