#pragma once

#include <ashlar/krylov/checkpoint.hpp>
#include <string>
#include <vector>

#include "world.hpp"

namespace ashlar::app {

/// What a checkpoint is of, as words: "system", "cantilever of 33 x 33 x 33 nodes". A solve resumes from a checkpoint
/// only if all of them are the same.
struct Identity {
  std::string name, value;
};

/// A checkpoint of all ranks in one file: a header with the place, the size and the checksum of each rank's part, and
/// these parts. The numbers are those of the machine that wrote it: it is for the same build on the same kind of
/// machine.
///
/// Writes the parts of all ranks. Whoever reads the file finds all of the old checkpoint or all of the new. Collective.
///
/// Throws   FileError on the rank that cannot write its part, RankError on the others.
void write_checkpoint(const World& world, const std::string& path, const std::vector<Identity>& identities,
                      const CgCheckpoint& checkpoint);

/// Reads this rank's part. Not collective.
///
/// Throws   FileError if the file is no checkpoint, is damaged, or is of another number of ranks; ArgumentError that
///          names what differs, if it is of another solve.
CgCheckpoint read_checkpoint(const World& world, const std::string& path, const std::vector<Identity>& identities);

/// Throws FileError, before any work, if read_checkpoint() would for the header alone.
void check_checkpoint_header(const World& world, const std::string& path);

}  // namespace ashlar::app
