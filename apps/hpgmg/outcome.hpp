#pragma once

#include <ashlar/multigrid/level.hpp>
#include <ashlar/multigrid/multigrid.hpp>
#include <ashlar/multigrid/phase_times.hpp>
#include <optional>
#include <string>
#include <vector>

#include "hpgmg/options.hpp"
#include "types.hpp"

namespace ashlar::app {

/// What a run of `ashlar hpgmg` found.
struct HpgmgOutcome {
  HpgmgOptions options;
  multigrid::CycleReport solve;
  std::optional<multigrid::RichardsonReport> richardson;  ///< none of fewer than three levels
  double seconds = 0;                                     ///< of a solve, the median of `num_solves`
  int num_solves = 0;
  multigrid::PhaseTimes times;  ///< of one solve more

  double dof_per_second(const multigrid::Multigrid<Execution>& mg) const {
    return seconds > 0 ? static_cast<double>(mg.level(0).num_cells()) / seconds : 0;
  }
};

/// Tables for standard output.
void print_levels(const multigrid::Multigrid<Execution>& mg);
void print_outcome(const multigrid::Multigrid<Execution>& mg, const HpgmgOutcome& outcome);
/// The report as JSON.
std::string report_json(const multigrid::Multigrid<Execution>& mg, const HpgmgOutcome& outcome);

}  // namespace ashlar::app
