#pragma once

#include <vector>

#include "solve/options.hpp"
#include "solve/system.hpp"
#include "world.hpp"

namespace ashlar::app {

/// make_system() over several ranks. A generated problem is generated and a block file read row by row, by the ranks
/// that have the rows; a Matrix Market file, and a right-hand side, is read by rank 0, which hands it out. A matrix of
/// a file is looked at for symmetry. `speeds` has the rate at which each rank reads its memory, for --partition
/// weighted; nothing where that was not measured. Collective.
///
/// Throws   as make_system(), on all ranks together.
LinearSystem make_rank_system(const Execution& exec, const World& world, const SolveOptions& options,
                              const std::vector<double>& speeds);

}  // namespace ashlar::app
