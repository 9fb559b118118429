#pragma once

#include <ashlar/multigrid/box_grid.hpp>
#include <ashlar/multigrid/methods.hpp>
#include <ashlar/multigrid/multigrid.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "world.hpp"

namespace CLI {
class App;
}

namespace ashlar::app {

/// Cycles by themselves, or CG with a V-cycle as its preconditioner.
enum class HpgmgSolver { cycles, mg_pcg };

/// "cycles", "mg-pcg"
std::string_view to_string(HpgmgSolver solver);

/// The precision of a V-cycle that preconditions: the precision of the solve, or half of it.
enum class CyclePrecision { in_double, in_single };

/// "double", "single"
std::string_view to_string(CyclePrecision precision);

/// What `ashlar hpgmg` is told.
struct HpgmgOptions {
  int log2_box = 0;
  int boxes_per_rank = 0;
  std::optional<int> cells;    ///< in each direction, instead of those of as many boxes a rank
  std::optional<int> box_dim;  ///< of the boxes that the cells are cut into instead
  multigrid::HierarchyOptions levels;
  multigrid::MultigridOptions methods;
  HpgmgSolver solver = HpgmgSolver::cycles;
  multigrid::Cycle cycle = multigrid::Cycle::f;          ///< of the solver `cycles`
  CyclePrecision precision = CyclePrecision::in_double;  ///< of the solver mg_pcg
  std::optional<std::string> report, picture, trace;
};

/// The levels' grids, for a rank of so many.
///
/// Throws   ArgumentError where these cells cannot be cut into such boxes, or these cannot be coarsened.
std::vector<multigrid::BoxGrid> grids_of(const HpgmgOptions& options, int num_ranks, int rank);

void declare_options(CLI::App& command, HpgmgOptions& options);

/// Checks the options before any work is done. All ranks find the same errors.
///
/// Throws   ArgumentError.
void check_before_start(const World& world, const HpgmgOptions& options);

/// Solves the benchmark's problem, says how far and how fast, and writes the report.
///
/// Returns  the exit code: 0, or 2 where the cycles did not converge.
int run_hpgmg(const World& world, const HpgmgOptions& options);

}  // namespace ashlar::app
