#pragma once

namespace ashlar::impl {

/// The lanes of a team that works on a tile.
inline constexpr int lanes_of_tile = 128;

/// Scalars that a tile holds at a time at most: what every GPU has scratch memory for.
constexpr int most_held_by_tile(int scalar_bytes) { return scalar_bytes > 4 ? 2048 : 4096; }

/// How a tile is made and held.
struct TileShape {
  int rows = 0;               ///< block rows of a tile, a divisor of lanes_of_tile; 0 where there are no tiles
  int capacity = 1;           ///< blocks whose products are held at a time
  int log2_lanes_of_row = 0;  ///< of lanes_of_tile / rows, the lanes that add up a block row
};

}  // namespace ashlar::impl
