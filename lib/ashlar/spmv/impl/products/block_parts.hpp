#pragma once

#include <algorithm>
#include <ashlar/spmv/block_sizes.hpp>
#include <ashlar/spmv/impl/launch/spmv_launch.hpp>

namespace ashlar::impl {

/// How by_line distributes the lines of a block over lanes. A line is a contiguous part of a block: a column of blocks
/// that are stored by columns, else a row.
struct LineParts {
  int load = 1;           ///< values_of_load
  bool in_pairs = false;  ///< whether a lane loads pairs, and a single value before or after them (an odd height)
  int height =
      1;  ///< values of a part, a multiple of `load`; the last part ends with the line, and may begin in the one before
  int parts = 0;            ///< of a line, a lane for each; 0: by_line does not take such blocks
  int whole = 1;            ///< lanes that begin together: those of a line, or where lines are rows, of a block
  int in_flight = 1;        ///< lines that a lane asks for before it uses the first
  double worth_a_lane = 1;  ///< lines that are worth a lane of their own

  constexpr bool is_served() const { return parts > 0; }

  /// Loads of a part.
  constexpr int loads() const { return in_pairs ? height / 2 + 1 : height / load; }

  /// Lanes of `width` that have work.
  constexpr int busy_lanes(int width) const { return width / whole * whole; }

  /// Lines that each of `width` lanes takes of a block row of so many.
  constexpr double lines_of_lane(double lines, int width) const {
    return busy_lanes(width) > 0 ? lines * parts / busy_lanes(width) : 0;
  }
};

/// Values of a line that a lane loads at a time: as many as are 16 bytes, where whole ones make up the line.
constexpr int values_of_load(int line_length, int value_bytes) {
  int values = 1;
  while (2 * values * value_bytes <= 16 && line_length % (2 * values) == 0) values *= 2;
  return values;
}

/// The widest group within a warp whose lanes still have a little more to do than their loads in flight, else the
/// narrowest that can; and two warps if one would take long (measured on an H200).
constexpr int line_width(const LineParts& line, double lines, int warp) {
  const double too_much = 45;
  int width = warp;
  while (width > 1 && line.busy_lanes(width / 2) > 0 && line.lines_of_lane(lines, width) < line.worth_a_lane)
    width /= 2;
  return width == warp && line.lines_of_lane(lines, warp) > too_much ? 2 * warp : width;
}

/// The width for block rows of 27 blocks, which is compiled in.
constexpr int usual_line_width(const LineParts& line, int block_size) {
  return line_width(line, 27.0 * block_size, 32);
}

/// Cuts a line that is too long for one lane into parts of at most `highest` values: as few as can be, or one more
/// where they overlap by an eighth less. A height is a multiple of the load, or with pairs odd.
constexpr void cut_line(LineParts& line, int line_length, int highest) {
  const auto height_of = [&](int parts) {
    const int height = (line_length + parts * line.load - 1) / (parts * line.load) * line.load;
    return line.in_pairs ? height | 1 : height;
  };
  line.parts = (line_length + highest - 1) / highest;
  if (8 * (line.parts + 1) * height_of(line.parts + 1) < 7 * line.parts * height_of(line.parts)) ++line.parts;
  line.height = height_of(line.parts);
}

/// Lines of small values to have in flight, up to `most`: those that lanes load to no end in the last round, where
/// block rows have 27 blocks, cost time, and so does each round, as much as `round_bytes` (measured on an H200).
constexpr int lines_in_flight(const LineParts& line, int block_size, int part_bytes, double round_bytes, int most) {
  const double lines = line.lines_of_lane(27.0 * block_size, usual_line_width(line, block_size));
  int best = 1;
  double least = 0;
  for (int count = 1; count <= most; ++count) {
    int loaded = count;
    while (loaded < lines) loaded += count;
    const double cost = loaded * (1 + round_bytes / (count * part_bytes));
    if (count > 1 && cost >= least) continue;
    best = count;
    least = cost;
  }
  return best;
}

/// The parts for square blocks of this size. A lane's part is few loads and few registers: each of its loads touches
/// all the cache lines that the part and its neighbours have, so that with more than four the first cache has more to
/// do than the memory (measured on an H200; where they are the whole line a few more are as good).
///
/// vector_bytes is the size of an entry of x.
constexpr LineParts line_parts(int block_size, int value_bytes, int vector_bytes, bool by_columns) {
  constexpr int largest = 32, most_bytes = 48, most_loads = 4, most_bytes_of_sums = 128;
  LineParts line;
  if (block_size < 2 || block_size > largest) return line;
  line.load = values_of_load(block_size, value_bytes);
  // Where only one small value could be loaded at a time: that every other line begins between two pairs is worth the
  // choice that it takes.
  line.in_pairs = line.load == 1 && value_bytes <= 4 && block_size > 3;
  line.height = block_size;
  const int most_bytes_of_line = by_columns ? most_bytes : 72;
  const bool has_few_loads = line.loads() <= (by_columns || line.in_pairs ? 5 : 9);
  const bool has_few_sums = !by_columns || block_size * vector_bytes <= most_bytes_of_sums;
  if (has_few_loads && has_few_sums && block_size * value_bytes <= most_bytes_of_line) {
    line.parts = 1;
  } else if (by_columns) {
    // The parts of a column have sums for different rows. The sums of a row's parts would have to be added.
    const int highest_by_loads = line.in_pairs ? 2 * most_loads - 1 : most_loads * line.load;
    cut_line(line, block_size,
             std::min({highest_by_loads, most_bytes / value_bytes, most_bytes_of_sums / vector_bytes}));
  }
  if (!line.is_served()) return line;
  line.whole = by_columns ? line.parts : block_size;
  // About 120 bytes in not too many loads; of rows that need x from more than two lanes fewer.
  const int part_bytes = line.height * value_bytes;
  const int most = std::max(2, (line.load == 1 ? 24 : 56) / value_bytes), fewest = part_bytes > 56 ? 1 : 2;
  line.in_flight = std::clamp((by_columns || block_size == 2 ? 120 : 96) / part_bytes, fewest, most);
  line.worth_a_lane = value_bytes < 4 ? 9 : value_bytes == 4 ? 7 : std::min(1.3 * line.in_flight, 6.5);
  if (by_columns && value_bytes <= 4) {
    // No more than there are registers for, beside the sums: for the values, their entry of x and an index.
    const int register_bytes = 4 * (!line.in_pairs ? 58 : line.parts == 1 ? 55 : 46);
    const int left = register_bytes - line.height * vector_bytes;
    const int most_held = std::clamp(left / (part_bytes + vector_bytes + 4), 1, std::min(line.in_flight, 7));
    line.in_flight = lines_in_flight(line, block_size, part_bytes,
                                     value_bytes < vector_bytes && part_bytes > 24 ? 7 : 16, most_held);
  }
  return line;
}

/// The most lanes of a group for blocks that are distributed row by row: more would have too few registers.
inline constexpr int widest_by_block_rows = 256;

/// How by_block_rows distributes square blocks that are stored by rows, and too large for by_line, over lanes: some
/// rows of the block side by side, a few values of a row to each lane, which keeps its columns and goes down the block.
struct BlockParts {
  int load = 1;            ///< values_of_load
  int lanes_of_row = 0;    ///< lanes that read one row of the block; 0: by_block_rows does not serve such blocks
  int rows_at_a_time = 1;  ///< of the block
  int sums = 1;            ///< rows of the block that a lane multiplies

  constexpr bool is_served() const { return lanes_of_row > 0; }

  /// Lanes that one block takes.
  constexpr int lanes() const { return lanes_of_row * rows_at_a_time; }

  /// Lanes of `width` that have work: the lanes of whole blocks.
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

/// The parts for the blocks of a product with one vector, if they are distributed row by row.
inline BlockParts block_parts_of(const SpmvShape& shape) {
  if (shape.many_vectors || shape.by_columns || !is_compiled(shape.block_shape)) return {};
  return block_parts(shape.block_shape.rows, shape.value_bytes);
}

}  // namespace ashlar::impl
