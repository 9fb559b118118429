#pragma once

#include <string>

#include "entry_files.hpp"
#include "world.hpp"

namespace ashlar::app {

/// Writes vectors, of which each rank has its part, as a Matrix Market array. All ranks write the file, each its lines;
/// rank 0 alone writes an output without places, such as standard output. Collective.
///
/// Throws   FileError on a rank that cannot write its part, RankError on the others.
void write_columns(const World& world, const std::string& path, const Columns& mine);

}  // namespace ashlar::app
