#pragma once

#include <ashlar/multigrid/level.hpp>
#include <optional>

#include "output_file.hpp"
#include "types.hpp"
#include "world.hpp"

namespace ashlar::app {

/// Writes u of a level, averages over cells, as an image file of VTK's (.vti): all of it, on rank 0, which alone has
/// the file. Collective.
///
/// Throws   FileError, on the other ranks RankError; as World::on_all().
void write_picture(const Execution& exec, const World& world, const std::optional<OutputFile>& file,
                   const multigrid::Level<Execution>& level);

}  // namespace ashlar::app
