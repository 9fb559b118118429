#pragma once

#include "solve/options.hpp"
#include "solve/solve.hpp"
#include "solve/system.hpp"
#include "world.hpp"

namespace ashlar::app {

/// True if one of them is "-", standard output, for which the command has nothing else to say there then.
bool uses_standard_output(const OutputOptions& options);

/// Finds out before any work is done whether all ranks see the files that they are to write together. Collective.
///
/// Throws   FileError on a rank that does not, RankError on the others.
void check_shared_outputs(const World& world, const OutputOptions& options);

/// Writes the solution and the mesh to the files that `options` name. All ranks write the solution, each its lines, and
/// a mesh of pieces; what has no places (standard output, pipes) and a mesh that is one file rank 0 does, to which all
/// others send theirs. Collective.
///
/// Returns  false, and writes nothing, where x holds NaN or infinity.
/// Errors   FileError where a file cannot be written, all of it, on the rank that cannot, and RankError on the others:
///          kept in `errors`, and the next one is written.
template <class Exec>
bool write_outputs(const Exec& exec, const World& world, const OutputOptions& options, const LinearSystem<Exec>& system,
                   const Solution<Exec>& solution, WriteErrors& errors);

}  // namespace ashlar::app
