#pragma once

#include <ashlar/comm/communicator.hpp>
#include <ashlar/halo/exchange_mode.hpp>
#include <ashlar/krylov/report.hpp>
#include <ashlar/krylov/solver_options.hpp>
#include <ashlar/spmv/tuning_table.hpp>
#include <optional>
#include <string>
#include <vector>

#include "solve/options.hpp"
#include "solve/progress.hpp"
#include "solve/system.hpp"
#include "solve_trace.hpp"
#include "types.hpp"
#include "world.hpp"

namespace ashlar::app {

/// The figures of a solve.
struct SolveAccount {
  /// Several right-hand sides: steps and largest residual of block CG, or the sum of the solves (add_next()).
  SolveReport report;
  SolverKind solver = SolverKind::cg;  ///< that ended the solve
  std::string why_solver;              ///< of --solver auto
  PreconditionerKind preconditioner = PreconditionerKind::none;
  std::string why_preconditioner;           ///< of --preconditioner auto
  std::string hierarchy;                    ///< levels of algebraic multigrid, a line each
  std::optional<double> rhs_in_null_space;  ///< of b's norm, that --null-space has removed
  std::vector<ColumnReport> columns;        ///< of several right-hand sides, each
  std::string kernel;
  std::string plan;                      ///< explain() of what multiplies
  std::optional<std::string> streaming;  ///< how the plan for a streamed matrix came about
  std::optional<TuningTable> tuning;     ///< to be written, where --tune was given
  std::optional<double> hidden_share;    ///< of a rank that streams to a device: StreamOverlap
  double waited_seconds = 0;             ///< for other ranks, in the solve
  double idle_seconds = 0;               ///< of that, with nothing to do meanwhile: DistributedOperator::idle_seconds()
  int iterations_before = 0;             ///< of the report's, those made before the rows lay as they do
  HaloFigures halo;                      ///< what this rank exchanged with others, in the solve
  /// The time of this rank's share of the solve while the other ranks rest, if --efficiency asks for it.
  std::optional<double> alone_seconds;
};

/// x with what was found out on the way to it.
template <class Exec>
struct Solution : SolveAccount {
  Vector<Exec> x;                  ///< that of the first right-hand side
  std::optional<Block<Exec>> all;  ///< those of all right-hand sides, if there are several, and of block CG
};

/// Solves by the method and with the preconditioner asked for: the phases "setup" and "solve". It starts from
/// x0, which it changes, else from the system's initial guess, else from zero. Block CG starts from zero. Other solvers
/// solve for several right-hand sides one after the other.
///
/// A trace, where there is one, records products with a streamed matrix. Over ranks, where --efficiency is given, a
/// third phase "alone" follows, in which one rank after another iterates while the others rest; not where one kernel of
/// each iterated. Collective.
///
/// Throws   NumericalError where the preconditioner does not exist, naming the file; what plan and CG throw.
template <class Exec>
Solution<Exec> solve(const Exec& exec, const World& world, const LinearSystem<Exec>& system,
                     const SolveOptions& options, Phases& phases, const Monitor& monitor,
                     SolveTrace<Exec>* trace = nullptr, const Vector<Exec>& x0 = {});

/// How far a solution, of which each rank has its part, is from the known one, all ones. Collective.
struct SolutionError {
  double max_norm = 0;
  double relative_2_norm = 0;
};
template <class Exec>
SolutionError error_against_ones(const Exec& exec, const Communicator& comm, const Vector<Exec>& x);

}  // namespace ashlar::app
