#pragma once

#include "solve/options.hpp"
#include "solve/solve.hpp"
#include "solve/system.hpp"

namespace ashlar::app {

/// Writes the solution and the mesh to the files that `options` name.
///
/// Returns  false, and writes nothing, where x holds NaN or infinity.
/// Throws   FileError where a file cannot be written, all of it.
bool write_outputs(const Execution& exec, const SolveOptions& options, const LinearSystem& system,
                   const Solution& solution);

}  // namespace ashlar::app
