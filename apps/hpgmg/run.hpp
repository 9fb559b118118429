#pragma once

#include "hpgmg/options.hpp"

namespace ashlar::app {

/// Solves the benchmark's problem, says how far and how fast, and writes the report.
///
/// Returns  the exit code: 0, or 2 where the cycles did not converge.
int run_hpgmg(const World& world, const HpgmgOptions& options);

}  // namespace ashlar::app
