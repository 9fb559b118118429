#pragma once

#include <string>

#include "solve/options.hpp"
#include "solve/system.hpp"
#include "world.hpp"

namespace ashlar::app {

struct SolverChoice {
  SolverKind solver;
  std::string why;  ///< of --solver auto; empty: it was asked for
};

/// The solver asked for, if the matrix is of its kind. With --solver auto: CG for a symmetric matrix, else GMRES if its
/// vectors have room, else BiCGStab. Collective; multiplies if the matrix is streamed from its file or over ranks.
///
/// Throws   NumericalError if the solver asked for needs a symmetric matrix, and the file holds another.
template <class Exec>
SolverChoice choose_solver(const Exec& exec, const World& world, const LinearSystem<Exec>& system,
                           const SolveOptions& options);

}  // namespace ashlar::app
