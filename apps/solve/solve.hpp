#pragma once

#include <ashlar/krylov/report.hpp>
#include <ashlar/spmv/tuning_table.hpp>
#include <functional>
#include <optional>
#include <string>

#include "solve/options.hpp"
#include "solve/phases.hpp"
#include "solve/system.hpp"
#include "types.hpp"

namespace ashlar::app {

/// x with what was found out on the way to it.
struct Solution {
  Vector x;
  SolveReport report;
  std::string kernel;
  std::string plan;                   ///< SpmvPlan::explain()
  std::optional<TuningTable> tuning;  ///< to be written, where --tune was given
};

/// Solves by CG with the preconditioner asked for, starting from zero: the phases "setup" and "solve".
///
/// Throws   NumericalError where the preconditioner does not exist, naming the file; what plan and CG throw.
Solution solve(const Execution& exec, const LinearSystem& system, const SolveOptions& options, Phases& phases,
               const std::function<void(int, double)>& monitor);

/// How far a solution is from the known one, all ones.
struct SolutionError {
  double max_norm = 0;
  double relative_2_norm = 0;
};
SolutionError error_against_ones(const Execution& exec, const Vector& x);

}  // namespace ashlar::app
