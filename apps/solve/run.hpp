#pragma once

#include "solve/options.hpp"
#include "solve/phases.hpp"

namespace ashlar::app {

/// What can be found out before Kokkos is initialised: options, files, headers.
///
/// Throws   ashlar::Error.
void check_before_start(const SolveOptions& options);

/// `ashlar solve`; Kokkos is initialised. Returns the exit code: 0 converged, 2 not.
int run_solve(const SolveOptions& options, Phases& phases);

}  // namespace ashlar::app
