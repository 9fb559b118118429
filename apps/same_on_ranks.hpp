#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "world.hpp"

namespace ashlar::app {

/// Refuses ranks that were started with different arguments: what they would do differs, and some would wait for others
/// without end. Collective.
///
/// Throws   ArgumentError that names the first argument that differs, on the lowest rank that has another one than rank
///          0; RankError on the others.
void require_same_arguments(const World& world, const std::vector<std::string>& arguments);

/// Bytes of an input file that stand for all of it, where it is a matrix or a right-hand side.
///
/// A block file is read by all ranks, and begins with a header of 4096 bytes, in which there is a checksum of its table
/// of checksums: files with the same header have the same content, or are found to be damaged where they are read. A
/// Matrix Market file is read by rank 0 alone. The others look at its header, which lies there, too.
inline constexpr std::size_t beginning_of_matrix = 4096;

/// Refuses an input file that is not the same on all ranks, by its size and its first `most_bytes` bytes. What can be
/// read once only (a pipe) is left alone. Collective.
///
/// Throws   FileError that names the rank, on the lowest one that cannot read the file or has another one than rank 0;
///          RankError on the others.
void require_same_file(const World& world, const std::string& path,
                       std::size_t most_bytes = std::numeric_limits<std::size_t>::max());

}  // namespace ashlar::app
