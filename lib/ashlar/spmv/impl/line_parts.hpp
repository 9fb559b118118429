#pragma once

#include <algorithm>

namespace ashlar::impl {

/// How by_line deals the lines of a block to lanes. A line is what of a block lies together: a column of blocks that
/// are stored by columns, else a row.
struct LineParts {
  int load = 1;       ///< values_of_load
  int height = 1;     ///< values of a part, a multiple of `load`; the last part of a line may have fewer
  int parts = 0;      ///< of a line, a lane for each; 0: by_line does not take such blocks
  int whole = 1;      ///< lanes that begin together: those of a line, or where lines are rows, of a block
  int under_way = 1;  ///< lines that a lane asks for before it uses the first

  constexpr bool is_served() const { return parts > 0; }

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

/// The parts for square blocks of this size. A lane's part is few loads and few registers: each of its loads touches
/// all the cache lines that the part and its neighbours have, so that with more than four the first cache has more to
/// do than the memory (measured on an H200; where they are the whole line a few more are as good).
constexpr LineParts line_parts(int block_size, int value_bytes, bool by_columns) {
  constexpr int most_bytes = 48, most_loads = 4, largest = 32;
  const int most_bytes_of_line = by_columns ? most_bytes : 72, most_loads_of_line = by_columns ? 5 : 9;
  LineParts line;
  if (block_size < 2 || block_size > largest) return line;
  line.load = values_of_load(block_size, value_bytes);
  line.height = block_size;
  if (block_size <= most_loads_of_line * line.load && block_size * value_bytes <= most_bytes_of_line) {
    line.parts = 1;
  } else if (by_columns) {
    // The sums of a column's parts are of rows of their own. Those of a row's would have to be added.
    const int highest = std::min(most_loads * line.load, most_bytes / value_bytes);
    const int fewest = (block_size + highest - 1) / highest;
    line.height = (block_size + fewest * line.load - 1) / (fewest * line.load) * line.load;
    line.parts = (block_size + line.height - 1) / line.height;
  }
  line.whole = by_columns ? line.parts : block_size;
  // About 120 bytes in not too many loads; of rows fewer.
  const int most = std::max(2, (line.load == 1 ? 24 : 56) / value_bytes),
            fewest = line.height * value_bytes > 56 ? 1 : 2;
  line.under_way = std::clamp((by_columns ? 120 : 96) / (line.height * value_bytes), fewest, most);
  return line;
}

/// The widest group within a warp whose lanes still have a little more to do than what they have under way at a time,
/// else the narrowest that can; and two warps where one would be long at it (measured on an H200).
constexpr int line_width(const LineParts& line, double lines, int warp) {
  const double enough = std::min(1.3 * line.under_way, 6.5), too_much = 45;
  int width = warp;
  while (width > 1 && line.busy_lanes(width / 2) > 0 && line.lines_of_lane(lines, width) < enough) width /= 2;
  return width == warp && line.lines_of_lane(lines, warp) > too_much ? 2 * warp : width;
}

/// The width for block rows of 27 blocks, which is compiled in.
constexpr int usual_line_width(const LineParts& line, int block_size) {
  return line_width(line, 27.0 * block_size, 32);
}

}  // namespace ashlar::impl
