#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/chunk.hpp>
#include <ashlar/spmv/impl/lanes.hpp>
#include <cstdint>

namespace ashlar::impl {

/// The lanes of a team that works on a tile.
inline constexpr int lanes_of_tile = 128;

/// How a tile is made and held.
struct TileShape {
  int rows = 1;      ///< block rows of a tile, a divisor of lanes_of_tile
  int capacity = 1;  ///< blocks whose products are held at a time, a multiple of 4
};

/// A team takes a tile, some block rows that follow each other, as one list of blocks: a lane multiplies a whole block
/// at a time, the products go to scratch memory, and then some lanes a row add up what is its.
///
/// For blocks so small that a block row gives a warp too little: how rows lie in the list does not matter to the
/// loads. A tile of more blocks than are held at a time is worked off in passes.
/// Serves b = 1 and 2. Source: the CSR-Stream kernel of Greathouse & Daga 2014, on blocks.
template <class Rows, class TeamMember>
struct ByTile {
  using Value = typename Rows::value_type;
  using Scalar = typename Rows::scalar_type;
  using Ordinal = typename Rows::ordinal_type;
  static constexpr int b = Rows::compiled_block_size;
  static_assert(b == 1 || b == 2);
  static constexpr int entries = b * b;
  /// Blocks that a lane has under way before it uses the first. One at a time of neighbouring lanes: what their loads
  /// touch of x then lies as close together as the list has it.
  static constexpr int unroll = b == 1 ? 7 : 4;
  /// Bytes of a block that a lane loads at a time.
  static constexpr int load_bytes = entries * int(sizeof(Value)) < 16 ? entries * int(sizeof(Value)) : 16;

  Rows rows;
  Grouping grouping;
  TileShape tile;

  /// Scratch memory of a team: the products held, a sum for each lane, and the ends of the block rows.
  static std::size_t scratch_bytes(const TileShape& tile) {
    return b * (tile.capacity + width) * sizeof(Scalar) + (tile.rows + 1) * sizeof(int);
  }

  KOKKOS_FUNCTION void operator()(const TeamMember& team) const {
    const Tile lanes(team, grouping);
    const int lanes_of_row = width / tile.rows;
    const std::int64_t first_row = lanes.group() * tile.rows;
    const std::int64_t rest = rows.a.num_block_rows - first_row;
    const int num_rows = rest < tile.rows ? static_cast<int>(rest) : tile.rows;
    const std::int64_t begin = rows.begin(first_row), end = rows.end(first_row + num_rows - 1);
    Scalar* const products = lanes.template scratch<Scalar>(b * (tile.capacity + width));
    Scalar* const sums = products + b * tile.capacity;
    int* const bounds = lanes.template scratch<int>(tile.rows + 1);  // of the block rows, counted from `begin`

    const int count = static_cast<int>(end - begin);
    for (int from = 0; from < count || from == 0; from += tile.capacity) {
      const int to = from + tile.capacity < count ? from + tile.capacity : count;
      lanes.for_each(width, [&](int lane) {
        // Asked for with the values, to arrive with them.
        for (int i = lane; from == 0 && i <= num_rows; i += width) {
          bounds[i] = i < num_rows ? static_cast<int>(rows.begin(first_row + i) - begin) : count;
        }
        multiply(begin, lane, from, to, products);
      });
      lanes.for_each(width, [&](int lane) {
        const int row = lane / lanes_of_row;
        Scalar sum[b];
        for (int r = 0; r < b; ++r) sum[r] = from == 0 ? Scalar(0) : sums[lane * b + r];
        if (row < num_rows) {
          const int first = bounds[row] > from ? bounds[row] : from, last = bounds[row + 1] < to ? bounds[row + 1] : to;
          for (int k = first - from + lane % lanes_of_row; k < last - from; k += lanes_of_row) {
            for (int r = 0; r < b; ++r) sum[r] += products[k * b + r];
          }
        }
        for (int r = 0; r < b; ++r) sums[lane * b + r] = sum[r];
      });
    }
    lanes.for_each(num_rows * b, [&](int i) {
      const int row = i / b, r = i % b;
      Scalar sum(0);
      for (int lane = row * lanes_of_row; lane < (row + 1) * lanes_of_row; ++lane) sum += sums[lane * b + r];
      rows.store(first_row + row, r, sum);
    });
  }

 private:
  static constexpr int width = lanes_of_tile;
  using Tile = Lanes<TeamMember, width>;

  /// A lane's share of: products[k - from] := block k of the tile times its part of x, for from <= k < to.
  KOKKOS_INLINE_FUNCTION void multiply(std::int64_t begin, int lane, int from, int to, Scalar* products) const {
    const Ordinal* const cols = rows.a.col_idx + begin;
    for (int k = from + lane; k < to; k += unroll * width) {
      std::uint32_t col[unroll];
      Value value[unroll][entries];
      Scalar x[unroll][b];
      // Where there are no more blocks, zeros and the first entries of x: cheaper than to ask at every step.
      for (int u = 0; u < unroll; ++u) {
        col[u] = k + u * width < to ? static_cast<std::uint32_t>(cols[k + u * width]) : 0;
      }
      for (int u = 0; u < unroll; ++u) {
        for (int j = 0; j < entries; ++j) value[u][j] = Value(0);
        if (k + u * width < to) load(begin, k + u * width, value[u]);
      }
      for (int u = 0; u < unroll; ++u) {
        for (int j = 0; j < b; ++j) x[u][j] = rows.a.x[col[u] * b + j];
      }
      for (int u = 0; u < unroll; ++u) {
        if (k + u * width >= to) continue;
        Scalar* const product = products + (k + u * width - from) * b;
        for (int r = 0; r < b; ++r) product[r] = times(value[u], x[u], r);
      }
    }
  }

  /// Block k of the tile.
  KOKKOS_INLINE_FUNCTION void load(std::int64_t begin, int k, Value (&value)[entries]) const {
    constexpr int size = Chunk<Value, load_bytes>::size;
    const Value* const first =
        Rows::is_indirect ? rows.block(begin + k) : rows.a.values + begin * entries + k * entries;
    for (int j = 0; j < entries; j += size) {
      const auto chunk = load_once<load_bytes>(first + j);
      for (int i = 0; i < size; ++i) value[j + i] = chunk.value[i];
    }
  }

  /// A row of a block times x.
  KOKKOS_INLINE_FUNCTION Scalar times(const Value* block, const Scalar* x, int row) const {
    Scalar sum(0);
    for (int c = 0; c < b; ++c) sum += rows.entry(block[rows.at(row, c)]) * x[c];
    return sum;
  }
};

}  // namespace ashlar::impl
