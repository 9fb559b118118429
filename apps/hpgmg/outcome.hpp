#pragma once

#include <ashlar/halo/exchange_mode.hpp>
#include <ashlar/krylov/report.hpp>
#include <ashlar/multigrid/level.hpp>
#include <ashlar/multigrid/methods.hpp>
#include <ashlar/multigrid/multigrid.hpp>
#include <optional>
#include <string>
#include <vector>

#include "file_names.hpp"
#include "hpgmg/options.hpp"
#include "types.hpp"
#include "world.hpp"

namespace ashlar::app {

/// The results of a run of `ashlar hpgmg`. Times are the slowest rank's.
struct HpgmgOutcome {
  HpgmgOptions options;
  multigrid::CycleReport solve;
  std::optional<SolveReport> cg;                          ///< of the solver mg_pcg: `solve` is what it has led to
  std::optional<multigrid::RichardsonReport> richardson;  ///< of the solver cycles; none of fewer than three levels
  double seconds = 0;                                     ///< of a solve, the median of `num_solves`
  int num_solves = 0;
  multigrid::PhaseTimes times;      ///< of one solve more
  std::vector<HaloCount> exchange;  ///< of each level: what all ranks send for the operator once

  double dof_per_second(const multigrid::Multigrid<Execution>& mg) const {
    return seconds > 0 ? static_cast<double>(mg.level(0).num_cells()) / seconds : 0;
  }
};

/// The messages of all ranks on each level, which fill the ghost cells that the operator reads. Collective.
std::vector<HaloCount> exchange_of_levels(const multigrid::Multigrid<Execution>& mg);

/// Tables for standard output.
void print_levels(const multigrid::Multigrid<Execution>& mg);
void print_outcome(const multigrid::Multigrid<Execution>& mg, const HpgmgOutcome& outcome);
/// The report as JSON.
std::string report_json(const multigrid::Multigrid<Execution>& mg, const HpgmgOutcome& outcome);

/// Writes u of a level, averages over cells, as an image file of VTK's (.vti): all of it, on rank 0, which alone has
/// the file. Collective.
///
/// Throws   FileError, on the other ranks RankError; as World::on_all().
void write_picture(const Execution& exec, const World& world, const std::optional<OutputFile>& file,
                   const multigrid::Level<Execution>& level);

}  // namespace ashlar::app
