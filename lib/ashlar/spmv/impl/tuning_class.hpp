#pragma once

#include <array>
#include <ashlar/spmv/impl/choose_launch.hpp>
#include <ashlar/spmv/impl/tile_shape.hpp>
#include <ashlar/spmv/tuning_table.hpp>
#include <cstdint>
#include <string>
#include <string_view>

namespace ashlar::impl {

/// Where the last class of numbers of block rows begins: from some millions on, more change nothing.
inline constexpr std::int64_t last_block_rows_class = std::int64_t(1) << 20;

/// The names of the classes of spread, from even to long rows.
inline constexpr std::array<std::string_view, 3> spreads{"even", "uneven", "long_rows"};

/// The most block rows that a tile of by_tile has.
inline constexpr int most_rows_of_tile = lanes_of_tile;

/// The largest power of 4 up to `block_rows`, at least 1 and at most last_block_rows_class.
std::int64_t block_rows_class(std::int64_t block_rows);

/// The largest power of 2 up to the average number of blocks of a block row, or 0.
std::int64_t row_blocks_class(const SpmvShape& shape);

/// One of `spreads`; of a shape that knows its longest row.
std::string_view spread_class(const SpmvShape& shape);

/// The classes of a shape, in a key without device, types and mode.
TuningKey tuning_class(const SpmvShape& shape);

}  // namespace ashlar::impl
