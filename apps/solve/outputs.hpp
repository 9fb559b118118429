#pragma once

#include "solve/first_error.hpp"
#include "solve/options.hpp"
#include "solve/solve.hpp"
#include "solve/system.hpp"
#include "world.hpp"

namespace ashlar::app {

/// Whether one of them is "-", standard output, for which the command has nothing else to say there then.
bool uses_standard_output(const OutputOptions& options);

/// Writes the solution and the mesh to the files that `options` name: rank 0 does, to which all others send theirs.
/// Collective.
///
/// Returns  false, and writes nothing, where x holds NaN or infinity.
/// Errors   FileError where a file cannot be written, all of it: kept in `errors`, and the next one is written.
bool write_outputs(const Execution& exec, const World& world, const OutputOptions& options, const LinearSystem& system,
                   const Solution& solution, FirstError& errors);

}  // namespace ashlar::app
