#pragma once

#include <ashlar/bcsr/row_ranges.hpp>
#include <ashlar/spmv/block_sizes.hpp>
#include <ashlar/spmv/impl/lanes.hpp>
#include <ashlar/spmv/impl/staging.hpp>
#include <ashlar/spmv/impl/tile_shape.hpp>
#include <ashlar/spmv/kernel.hpp>
#include <cstdint>
#include <limits>
#include <string>

namespace ashlar::impl {

/// What a plan decides: which kernel, and how its threads are grouped.
struct SpmvLaunch {
  Kernel kernel = Kernel::automatic;
  int compiled_size = runtime_block_size;  ///< of the blocks
  Grouping grouping;
  TileShape tile;   ///< of by_tile
  Staging staging;  ///< of staged
  /// Block rows of more blocks than this are cut into segments; the kernel leaves them out.
  std::int64_t longest_row = std::numeric_limits<std::int64_t>::max();
  int prefetch_bytes = 0;  ///< how far ahead a CPU prefetches values; 0: not at all
  RowRanges first_row;     ///< of the range that each thread of a CPU takes; empty: block rows are dealt one by one
  std::string label;       ///< of the launch
};

}  // namespace ashlar::impl
