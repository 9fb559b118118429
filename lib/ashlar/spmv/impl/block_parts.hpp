#pragma once

#include <ashlar/spmv/block_sizes.hpp>
#include <ashlar/spmv/impl/line_parts.hpp>
#include <ashlar/spmv/impl/spmv_shape.hpp>

namespace ashlar::impl {

/// The most lanes of a group for blocks that are dealt row by row: more would have too few registers.
inline constexpr int widest_by_block_rows = 256;

/// How by_block_rows deals square blocks that are stored by rows, and too large for by_line, to lanes: some rows of the
/// block side by side, a few values of a row to each lane, which keeps its columns and goes down the block.
struct BlockParts {
  int load = 1;            ///< values_of_load
  int lanes_of_row = 0;    ///< lanes that read one row of the block; 0: such blocks are not dealt so
  int rows_at_a_time = 1;  ///< of the block
  int sums = 1;            ///< rows of the block that a lane meets

  constexpr bool is_served() const { return lanes_of_row > 0; }

  /// Lanes that one block takes.
  constexpr int lanes() const { return lanes_of_row * rows_at_a_time; }

  /// Lanes of `width` that have work: those of whole blocks.
  constexpr int busy_lanes(int width) const { return is_served() ? width / lanes() * lanes() : 0; }
};

/// The parts for square blocks of this size: as many rows at a time as leave the fewest lanes idle in the last of them,
/// and lanes with about six sums, which is what there are registers for (measured on an H200).
constexpr BlockParts block_parts(int block_size, int value_bytes) {
  constexpr int smallest = 10, largest = 32, most_rows_at_a_time = 8, fewest_bytes_of_load = 8;
  constexpr int usual_sums = 6, most_sums = 8;
  BlockParts parts;
  parts.load = values_of_load(block_size, value_bytes);
  if (block_size < smallest || block_size > largest || value_bytes > 8) return parts;
  if (parts.load * value_bytes < fewest_bytes_of_load) return parts;
  parts.lanes_of_row = block_size / parts.load;
  int least_cost = most_sums * block_size;
  for (int rows = 1; rows <= most_rows_at_a_time; ++rows) {
    const int sums = (block_size + rows - 1) / rows, idle = rows * sums - block_size;
    const int cost = idle * most_sums + (sums < usual_sums ? usual_sums - sums : sums - usual_sums);
    if (sums > most_sums || cost >= least_cost) continue;
    parts.rows_at_a_time = rows;
    parts.sums = sums;
    least_cost = cost;
  }
  return parts;
}

/// The parts for the blocks of a product with one vector, as far as they are dealt row by row.
inline BlockParts block_parts_of(const SpmvShape& shape) {
  if (shape.many_vectors || shape.by_columns || !is_compiled(shape.block_shape)) return {};
  return block_parts(shape.block_shape.rows, shape.value_bytes);
}

}  // namespace ashlar::impl
