#pragma once

#include "solve/options.hpp"
#include "solve/progress.hpp"
#include "world.hpp"

namespace ashlar::app {

/// Checks that need no Kokkos: options, files, headers. Counts the right-hand sides and the modes of files.
///
/// Throws   ashlar::Error; on one of the ranks, or on all.
void check_before_start(const World& world, SolveOptions& options);

/// `ashlar solve`; Kokkos is initialised. Returns the exit code: 0 converged, 2 not. Collective.
int run_solve(const World& world, const SolveOptions& options, Phases& phases);

}  // namespace ashlar::app
