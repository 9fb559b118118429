#pragma once

#include <ashlar/multigrid/methods.hpp>
#include <hpgmg/options.hpp>
#include <nlohmann/json.hpp>

namespace ashlar::perf {

/// The same cells in each number of boxes, with one method: adds a row for each to `rows`. `read_gb_s` is the read
/// bandwidth of the run; on CPUs it is measured again in turns with the solves.
///
/// Returns  whether all were right.
bool measure_cuts(const Exec& exec, int cells, multigrid::Discretisation discretisation, multigrid::Smoother smoother,
                  const HpgmgPerfOptions& options, double read_gb_s, nlohmann::json& rows);

}  // namespace ashlar::perf
