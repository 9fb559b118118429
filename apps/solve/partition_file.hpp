#pragma once

#include <ashlar/halo/row_partition.hpp>
#include <cstdint>
#include <string>

namespace ashlar::app {

/// The partition of a text file: how many block rows each rank has, in the order of the ranks, one number after
/// another.
///
/// Throws   FileError where there are more or fewer numbers than ranks, a word is no such number, or the numbers do not
///          add up to all block rows.
RowPartition read_partition(const std::string& path, std::int64_t num_block_rows, int ranks);

}  // namespace ashlar::app
