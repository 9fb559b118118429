#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/text.hpp>
#include <ashlar/device/loads/load_chunk.hpp>
#include <ashlar/spmv/impl/launch/kernel_of.hpp>
#include <ashlar/spmv/impl/launch/spmv_launch.hpp>
#include <ashlar/spmv/impl/operands/lanes.hpp>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

namespace ashlar::impl {

/// A team takes a tile, some consecutive block rows, as one list of blocks: a lane multiplies a whole block at a time,
/// the products go to scratch memory, and then some lanes per row add up the products of the row.
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
  /// Blocks that a lane has in flight before it uses the first. One at a time of neighbouring lanes: what their loads
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
      // If one load does not cover the block, or the block lies anywhere, the first cache keeps the rest of the line.
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

template <>
struct KernelOf<Kernel::by_tile> : KernelBasics<Kernel::by_tile> {
  static constexpr bool has_single = true;
  static constexpr bool has_multi = false;
  /// It counts the entries of all rows of a tile in 32 bits.
  static constexpr std::int64_t longest_row_of_tile = (std::int64_t(1) << 31) / (4 * lanes_of_tile) - 1;

  static bool serves(const SpmvShape& shape, int width) {
    // For sizes that are not compiled in there is no such kernel.
    return is_compiled(shape.block_shape) && shape.block_shape.rows <= 2 && (width == 0 || width >= lanes_of_tile) &&
           shape.longest_row <= longest_row_of_tile;
  }
  static std::string why_not(const SpmvShape& shape, int width) {
    if (width > widest(shape)) return KernelBasics::why_not(shape, width);
    return text("it gives each of ", lanes_of_tile,
                " lanes whole blocks, of size 1 or 2 (where those are compiled), in block rows of at most ",
                longest_row_of_tile);
  }
  static int bytes_of_load(const BlockShape& shape, int value_bytes) {
    return static_cast<int>(std::min<std::int64_t>(16, shape.num_values() * value_bytes));
  }
  static constexpr int compiled_size(int block_size, int, bool, bool) {
    return block_size <= 2 ? block_size : runtime_block_size;
  }

  static SpmvLaunch launch(const SpmvShape& shape, const SpmvDevice& device, const LaunchRequest& request) {
    SpmvLaunch launch;
    launch.grouping.width = lanes_of_tile;
    launch.grouping.in_warp = false;
    launch.tile = choose_tile(shape, device, request.tile_rows);
    return launch;
  }
  static std::vector<LaunchRequest> candidates(const SpmvShape&, const SpmvDevice&, const SpmvLaunch& model) {
    std::vector<LaunchRequest> requests;
    for (int rows = std::max(1, model.tile.rows / 4); rows <= std::min(lanes_of_tile, 4 * model.tile.rows); rows *= 2) {
      requests.push_back({kernel, 0, rows});
    }
    return requests;
  }
  static std::string describe(const SpmvLaunch& launch) {
    return text(", ", launch.tile.rows, " block rows a tile, ", launch.grouping.width, " lanes a tile");
  }
  static std::string grounds(const SpmvShape& shape, const SpmvDevice&, const SpmvLaunch& launch) {
    return text(", ", rounded(average_row(shape) * launch.tile.rows), " blocks a tile");
  }

  template <class Exec, class Rows>
  static void run(const Exec& exec, const SpmvLaunch& launch, const Rows& rows) {
    constexpr int b = Rows::compiled_block_size;
    if constexpr (b == 1 || b == 2) {
      using Product = ByTile<Rows, typename Kokkos::TeamPolicy<Exec>::member_type>;
      TileShape tile = launch.tile;
      // The plan may not have been told that vectors are of doubles.
      tile.capacity = std::min(tile.capacity, most_held_by_tile(sizeof(typename Rows::scalar_type)) / b);
      launch_teams<lanes_of_tile, 8>(exec, launch, (rows.a.num_block_rows + tile.rows - 1) / tile.rows,
                                     Product::scratch_bytes(tile), Product{rows, tile});
    }
  }

 private:
  /// With `tile_rows` block rows a tile, or with as many as suit the device where that is 0.
  static TileShape choose_tile(const SpmvShape& shape, const SpmvDevice& device, int tile_rows) {
    // Values of a tile for each lane, twice as many of floats (measured on an H200), and how much above the average of
    // tiles is held at once.
    constexpr double values_of_lane[] = {0, 13.5, 27}, values_of_indirect_lane = 3.5, margin = 1.06;
    constexpr int width = lanes_of_tile;
    const int b = shape.block_shape.rows;
    const int vector_bytes = vector_bytes_of(shape);
    double values = values_of_lane[b] * (vector_bytes > 4 ? 1 : 2);
    // Entries that lie anywhere share sectors with entries of the next rows: the first cache holds a bounded number of
    // them.
    if (b == 1 && !shape.in_order) values = values_of_indirect_lane;
    const double blocks = values / (b * b) * width;
    const double average = std::max(average_row(shape), 1e-3);
    // As many tiles as fill the device, where there are so few block rows.
    const double fair = double(shape.num_block_rows) * width / enough_threads(device);
    const double rows = std::min(blocks / average, fair);
    TileShape tile;
    tile.rows =
        tile_rows > 0 ? tile_rows : static_cast<int>(std::bit_floor(unsigned(std::clamp<double>(rows, 1, width))));
    tile.log2_lanes_of_row = std::countr_zero(unsigned(width / tile.rows));
    tile.capacity =
        static_cast<int>(std::clamp(margin * tile.rows * average, 32.0, double(most_held_by_tile(vector_bytes)) / b));
    return tile;
  }
};

}  // namespace ashlar::impl
