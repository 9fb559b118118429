#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/device/load_chunk.hpp>
#include <ashlar/spmv/impl/lanes.hpp>
#include <cstdint>

namespace ashlar::impl {

/// The lanes of a team that works on a tile.
inline constexpr int lanes_of_tile = 128;

/// Scalars that a tile holds at a time at most: what every GPU has scratch memory for.
constexpr int most_held_by_tile(int scalar_bytes) { return scalar_bytes > 4 ? 2048 : 4096; }

/// How a tile is made and held.
struct TileShape {
  int rows = 1;               ///< block rows of a tile, a divisor of lanes_of_tile
  int capacity = 1;           ///< blocks whose products are held at a time
  int log2_lanes_of_row = 0;  ///< of lanes_of_tile / rows, the lanes that add up a block row
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
  /// touch of x then lies as close together as the list has it. (Measured on an H200.)
  static constexpr int unroll = b == 1 && Rows::is_indirect ? 4
                                : sizeof(Scalar) > 4        ? (b == 1 ? 7 : 4)
                                                            : (b == 1 ? 14 : 7);
  /// Bytes of a block that a lane loads at a time.
  static constexpr int load_bytes = entries * int(sizeof(Value)) < 16 ? entries * int(sizeof(Value)) : 16;

  Rows rows;
  TileShape tile;

  /// Scratch memory of a team: the products held, a sum for each lane, and the ends of the block rows.
  KOKKOS_INLINE_FUNCTION static std::size_t scratch_bytes(const TileShape& tile) {
    return b * (tile.capacity + width) * sizeof(Scalar) + width * sizeof(int);
  }

  KOKKOS_FUNCTION void operator()(const TeamMember& team) const {
    const Tile lanes(team, Grouping{.width = width, .groups = 1, .in_warp = false});
    const int shift = tile.log2_lanes_of_row, lanes_of_row = 1 << shift;
    const std::int64_t first_row = lanes.group() * tile.rows;
    const std::int64_t rest = rows.a.num_block_rows - first_row;
    const int num_rows = rest < tile.rows ? static_cast<int>(rest) : tile.rows;
    const std::int64_t begin = rows.begin(first_row);
    const int count = static_cast<int>(rows.end(first_row + num_rows - 1) - begin);
    Scalar* const products = lanes.template scratch<Scalar>(scratch_bytes(tile) / sizeof(Scalar));
    Scalar* const sums = products + b * tile.capacity;
    int* const ends = reinterpret_cast<int*>(sums + b * width);  // of the block rows, counted from `begin`

    for (int from = 0; from < count || from == 0; from += tile.capacity) {
      const int to = from + tile.capacity < count ? from + tile.capacity : count;
      lanes.for_each(width, [&](int lane) {
        // Asked for with the values, to arrive with them.
        if (from == 0 && lane < num_rows) ends[lane] = static_cast<int>(rows.end(first_row + lane) - begin);
        multiply(begin, lane, from, to, products);
      });
      lanes.for_each(width, [&](int lane) {
        const int row = lane >> shift;
        Scalar sum[b];
        for (int r = 0; r < b; ++r) sum[r] = from == 0 ? Scalar(0) : sums[lane * b + r];
        if (row < num_rows) {
          const int row_begin = row > 0 ? ends[row - 1] : 0, row_end = ends[row];
          const int first = row_begin > from ? row_begin : from, last = row_end < to ? row_end : to;
          add_products(products, first - from + (lane & (lanes_of_row - 1)), last - from, lanes_of_row, sum);
        }
        for (int r = 0; r < b; ++r) sums[lane * b + r] = sum[r];
      });
    }
    lanes.for_each(num_rows * b, [&](int i) {
      const int row = i / b, r = i % b;
      Scalar sum(0);
      for (int lane = row << shift; lane < (row + 1) << shift; ++lane) sum += sums[lane * b + r];
      rows.store(first_row + row, r, sum);
    });
  }

 private:
  static constexpr int width = lanes_of_tile;
  using Tile = Lanes<TeamMember, width>;

  /// A lane's share of: products[k - from] := block k of the tile times its part of x, for from <= k < to.
  ///
  /// Nothing is asked before a load: beyond the end lanes load the last block again, and do not use it. A load that
  /// depends on a condition would be waited for before the next is issued.
  KOKKOS_INLINE_FUNCTION void multiply(std::int64_t begin, int lane, int from, int to, Scalar* products) const {
    const Ordinal* const cols = rows.a.col_idx + begin;
    for (int first = from + lane; first < to; first += unroll * width) {
      int k[unroll];
      std::uint32_t col[unroll];
      Value value[unroll][entries];
      Scalar x[unroll][b];
      for (int u = 0; u < unroll; ++u) k[u] = first + u * width < to ? first + u * width : to - 1;
      for (int u = 0; u < unroll; ++u) col[u] = static_cast<std::uint32_t>(cols[k[u]]);
      for (int u = 0; u < unroll; ++u) load(begin, k[u], value[u]);
      for (int u = 0; u < unroll; ++u) {
        for (int j = 0; j < b; ++j) x[u][j] = rows.a.x[col[u] * b + j];
      }
      for (int u = 0; u < unroll; ++u) {
        if (first + u * width >= to) continue;
        Scalar* const product = products + (k[u] - from) * b;
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
      // Of a block that one load does not bring, or that lies anywhere, the first cache keeps the rest of the line.
      const auto chunk = entries == size && !Rows::is_indirect ? load_once<load_bytes>(first + j, rows.a.hint)
                                                               : load_strided<load_bytes>(first + j, rows.a.hint);
      for (int i = 0; i < size; ++i) value[j + i] = chunk.value[i];
    }
  }

  /// sum += products[k] for every step-th k from `k` on, before `end`; four are asked for before the first is used.
  KOKKOS_INLINE_FUNCTION static void add_products(const Scalar* products, int k, int end, int step, Scalar (&sum)[b]) {
    for (; k + 3 * step < end; k += 4 * step) {
      Scalar product[4][b];
      for (int u = 0; u < 4; ++u) {
        for (int r = 0; r < b; ++r) product[u][r] = products[(k + u * step) * b + r];
      }
      for (int u = 0; u < 4; ++u) {
        for (int r = 0; r < b; ++r) sum[r] += product[u][r];
      }
    }
    for (; k < end; k += step) {
      for (int r = 0; r < b; ++r) sum[r] += products[k * b + r];
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
