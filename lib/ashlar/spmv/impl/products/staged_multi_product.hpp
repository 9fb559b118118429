#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/bcsr/block.hpp>
#include <ashlar/device/loads/copy_async.hpp>
#include <ashlar/spmv/impl/launch/spmv_launch.hpp>
#include <ashlar/spmv/impl/operands/arguments.hpp>
#include <ashlar/spmv/impl/operands/lanes.hpp>
#include <ashlar/spmv/impl/operands/vectors.hpp>
#include <ashlar/spmv/impl/products/block_parts.hpp>
#include <cstdint>
#include <type_traits>

namespace ashlar::impl {

/// By lines, for several vectors: a group of lanes multiplies one block row. Its values and block columns are copied to
/// scratch memory, up to `capacity` blocks at a time, by copies that need no registers: so a group has all of them in
/// flight, and its registers are left for x. Some neighbouring lanes take a block, line after line. Each lane takes all
/// of its values and the vectors of the panel that one load of x brings: a warp's loads of x are whole runs, and a
/// lane's sums are few.
///
/// Width is the group's width where that is compiled in, or 0 where one thread plays all lanes.
template <class Rows, class TeamMember, int Panel, bool Interleaved, int Width = 0>
struct StagedMultiProduct {
  using Value = typename Rows::value_type;
  using Scalar = typename Rows::scalar_type;
  using Ordinal = typename Rows::ordinal_type;
  static constexpr int b = Rows::compiled_block_size, bb = b * b;
  static_assert(1 <= b && b <= largest_staged_block(std::is_same_v<Scalar, double>));
  static constexpr bool by_columns = std::is_same_v<typename Rows::layout_type, BlockColumnMajor>;
  static constexpr int load_size = values_of_load(b, sizeof(Value)), load_bytes = load_size * int(sizeof(Value));
  static constexpr int vectors_of_lane = Chunk<Scalar>::size;
  static constexpr int lanes_of_block = Panel / vectors_of_lane;
  static_assert(lanes_of_block >= 1 && (Width == 0 || lanes_of_block <= Width));
  /// Columns of a block that its lanes take at a time, and how many times so many they ask for x before they use the
  /// first. All where the entries of x are side by side. Where they are not, one: neighbouring lanes then load entries
  /// of the same vector that are neighbours.
  static constexpr int columns = Interleaved ? b : 1;
  static constexpr int unroll = Interleaved ? blocks_in_flight(b) : columns_in_flight(b);
  static constexpr int sums = b * vectors_of_lane;
  static constexpr bool near_too = stages_near(b, Panel);
  /// True if neighbouring blocks lie in the same banks of scratch memory, so that lanes should begin with different
  /// columns.
  static constexpr bool rotates = columns > 1 && bb * sizeof(Value) % 64 == 0;

  /// Where copies begin.
  struct alignas(copy_granule) Granule {
    unsigned char byte[copy_granule];
  };
  using Group = Lanes<TeamMember, Width>;

  Rows rows;
  MultiVectors<Scalar> vectors;
  Grouping grouping;
  int capacity;  ///< blocks of a piece

  /// Bytes of scratch memory that a group needs.
  static int scratch_bytes(int width, int capacity) {
    return copy_granule * granules(capacity) +
           (Width > 0 ? copy_granule : sums * width * int(sizeof(Scalar)) + 2 * copy_granule);
  }

  KOKKOS_FUNCTION void operator()(const TeamMember& team) const {
    const Group lanes(team, grouping);
    const PanelOfRow<Panel> at = panel_of(lanes.group());
    if (at.num_vectors <= 0) return;
    const EntryRange range = rows.entries_of(at.block_row);
    if (!range.is_there) return;
    const int num_blocks = static_cast<int>(range.count());
    if constexpr (Width > 0) {
      lanes.for_all([&](int lane) { multiply_in_registers(lanes, at, range.begin, num_blocks, lane); });
    } else {
      multiply_by_turns(lanes, at, range.begin, num_blocks);
    }
  }

 private:
  /// Some blocks that follow each other in a block row, in scratch memory.
  struct Piece {
    std::int64_t first;
    int count;
    unsigned char *values, *cols;  // copies begin here, their first entries as far behind as in memory
  };

  KOKKOS_INLINE_FUNCTION static constexpr int granules_of_values(int capacity) {
    return (capacity * bb * int(sizeof(Value)) - 1) / copy_granule + 2;
  }
  KOKKOS_INLINE_FUNCTION static constexpr int granules(int capacity) {
    return granules_of_values(capacity) + (capacity * int(sizeof(Ordinal)) - 1) / copy_granule + 2;
  }

  KOKKOS_INLINE_FUNCTION Piece piece_at(Granule* scratch, std::int64_t first, int from, int num_blocks) const {
    return {first + from, num_blocks - from < capacity ? num_blocks - from : capacity, scratch->byte,
            scratch[granules_of_values(capacity)].byte};
  }

  KOKKOS_INLINE_FUNCTION void multiply_in_registers(const Group& lanes, const PanelOfRow<Panel>& at, std::int64_t first,
                                                    int num_blocks, int lane) const {
    constexpr int slots = Width / lanes_of_block;
    Granule* const scratch = lanes.template aligned_scratch<Granule>(granules(capacity));
    const int slot = lane / lanes_of_block, part = lane % lanes_of_block;
    Scalar sum[vectors_of_lane][b];
    for (int v = 0; v < vectors_of_lane; ++v) {
      for (int r = 0; r < b; ++r) sum[v][r] = Scalar(0);
    }
    for (int from = 0; from < num_blocks; from += capacity) {
      const Piece piece = piece_at(scratch, first, from, num_blocks);
      if (from > 0) lanes.barrier();  // until nobody reads the piece before
      copy(piece, lane, Width);
      multiply(lanes, at, piece, slot, slots, part, sum);
    }
    for (int v = 0; v < vectors_of_lane; ++v) reduce_scatter<b, lanes_of_block>(lanes, lane, sum[v]);
    for (int i = 0; i * slots < b; ++i) {
      const int row = i * slots + slot;
      for (int v = 0; v < vectors_of_lane; ++v) {
        if (row < b) store(at, row, part * vectors_of_lane + v, sum[v][i]);
      }
    }
  }

  KOKKOS_INLINE_FUNCTION void multiply_by_turns(const Group& lanes, const PanelOfRow<Panel>& at, std::int64_t first,
                                                int num_blocks) const {
    Granule* const scratch = lanes.template aligned_scratch<Granule>(granules(capacity));
    Scalar* const all_sums = lanes.template scratch<Scalar>(sums * lanes.width());
    const int slots = lanes.width() / lanes_of_block;
    lanes.for_each(lanes.width() * sums, [&](int i) { all_sums[i] = Scalar(0); });
    for (int from = 0; from < num_blocks; from += capacity) {
      const Piece piece = piece_at(scratch, first, from, num_blocks);
      lanes.for_each(lanes.width(), [&](int lane) { copy(piece, lane, lanes.width()); });
      lanes.for_each(lanes.width(), [&](int lane) {
        auto& sum = *reinterpret_cast<Scalar(*)[vectors_of_lane][b]>(all_sums + lane * sums);
        multiply(lanes, at, piece, lane / lanes_of_block, slots, lane % lanes_of_block, sum);
      });
    }
    lanes.for_each(b * Panel, [&](int i) {
      const int vector = i % Panel, row = i / Panel;
      Scalar sum(0);
      for (int lane = vector / vectors_of_lane; lane < lanes.width(); lane += lanes_of_block) {
        sum += all_sums[lane * sums + vector % vectors_of_lane * b + row];
      }
      store(at, row, vector, sum);
    });
  }

  /// Entries of x side by side: all panels of a block row, whose values are then read from memory once. Apart: block
  /// row after block row, as the entries of a panel's vectors are what the caches are full with.
  KOKKOS_INLINE_FUNCTION PanelOfRow<Panel> panel_of(std::int64_t group) const {
    if constexpr (Interleaved) return {group, vectors.num_vectors};
    return PanelOfRow<Panel>::of_panel_after_panel(group, vectors.num_vectors, rows.a.num_block_rows);
  }

  /// A lane's share of the copies of a piece: a batch of block columns, then a batch of values.
  KOKKOS_INLINE_FUNCTION void copy(const Piece& piece, int lane, int width) const {
    const std::int64_t rest = rows.a.num_blocks - piece.first;
    copy_run_async<near_too>(piece.cols, rows.a.col_idx + piece.first, piece.count, rest, CacheHint(CacheHint::parts),
                             lane, width);
    end_batch_of_copies();
    if constexpr (Rows::is_indirect) {
      constexpr int loads = bb / load_size;
      for (int i = lane; i < piece.count * loads; i += width) {
        const int k = i / loads;
        copy_async<load_bytes, near_too>(piece.values + i * load_bytes,
                                         rows.block(piece.first + k) + (i - k * loads) * load_size, rows.a.hint);
      }
    } else {
      copy_run_async<near_too>(piece.values, rows.a.values + piece.first * bb, piece.count * bb, rest * bb, rows.a.hint,
                               lane, width);
    }
    end_batch_of_copies();
  }

  /// sum += the products of the piece's blocks (or columns of them) `slot`, `slot` + `slots`, ... and the part's
  /// vectors.
  ///
  /// Nothing is asked before a load of x: beyond the end lanes load the last again, and do not use it. A load that
  /// depends on a condition would be waited for before the next is issued.
  KOKKOS_INLINE_FUNCTION void multiply(const Group& lanes, const PanelOfRow<Panel>& at, const Piece& piece, int slot,
                                       int slots, int part, Scalar (&sum)[vectors_of_lane][b]) const {
    const auto* const cols =
        reinterpret_cast<const Ordinal*>(piece.cols + shift_in_scratch(rows.a.col_idx + piece.first));
    const int values_shift = Rows::is_indirect ? 0 : shift_in_scratch(rows.a.values + piece.first * bb);
    const auto* const values = reinterpret_cast<const Value*>(piece.values + values_shift);
    const Scalar* const x_of_part = x_of(at, part);
    const int rotation = rotates ? slot * (by_columns ? 1 : load_size) % b : 0;
    const int count = piece.count * (b / columns);
    wait_for_copies<1>();
    lanes.barrier();
    for (int begin = 0; begin < count; begin += unroll * slots) {
      const int k = begin + slot;
      Scalar x[unroll][columns][vectors_of_lane];
      for (int u = 0; u < unroll; ++u) {
        const int there = k + u * slots < count ? k + u * slots : count - 1;
        const std::uint32_t row = std::uint32_t(cols[there / (b / columns)]) * b + there % (b / columns);
        for (int c = 0; c < columns; ++c) load_x(at, x_of_part, row + rotated(c, rotation), part, x[u][c]);
      }
      if (begin == 0) {  // the values, with x in flight
        wait_for_copies<0>();
        lanes.barrier();
      }
      for (int u = 0; u < unroll; ++u) {
        if (k + u * slots >= count) continue;
        if constexpr (columns == b) {
          multiply_block(values + (k + u * slots) * bb, x[u], rotation, sum);
        } else {
          multiply_column(values, k + u * slots, x[u][0], sum);
        }
      }
    }
  }

  KOKKOS_INLINE_FUNCTION static int rotated(int column, int rotation) {
    if constexpr (!rotates) return column;
    return column + rotation < b ? column + rotation : column + rotation - b;
  }

  /// sum[v] += block * x[.][v], where x begins with column `rotation`.
  KOKKOS_INLINE_FUNCTION void multiply_block(const Value* block, const Scalar (&x)[columns][vectors_of_lane],
                                             int rotation, Scalar (&sum)[vectors_of_lane][b]) const {
    for (int line = 0; line < b; ++line) {
      for (int place = 0; place < b; place += load_size) {
        const int at = by_columns ? rotated(line, rotation) * b + place : line * b + rotated(place, rotation);
        const auto chunk = *reinterpret_cast<const Chunk<Value, load_bytes>*>(block + at);
        for (int j = 0; j < load_size; ++j) {
          const int row = by_columns ? place + j : line, column = by_columns ? line : place + j;
          add(chunk.value[j], x[column], row, sum);
        }
      }
    }
  }

  /// The same for one column of a block, counted through all.
  KOKKOS_INLINE_FUNCTION void multiply_column(const Value* values, int column, const Scalar (&x)[vectors_of_lane],
                                              Scalar (&sum)[vectors_of_lane][b]) const {
    if constexpr (by_columns) {
      for (int row = 0; row < b; row += load_size) {
        const auto chunk = *reinterpret_cast<const Chunk<Value, load_bytes>*>(values + column * b + row);
        for (int j = 0; j < load_size; ++j) add(chunk.value[j], x, row + j, sum);
      }
    } else {
      const Value* const first = values + column / b * bb + column % b;
      for (int row = 0; row < b; ++row) add(first[row * b], x, row, sum);
    }
  }

  KOKKOS_INLINE_FUNCTION void add(const Value& value, const Scalar (&x)[vectors_of_lane], int row,
                                  Scalar (&sum)[vectors_of_lane][b]) const {
    const Scalar entry = rows.entry(value);
    for (int v = 0; v < vectors_of_lane; ++v) sum[v][row] += entry * x[v];
  }

  /// The first entry of x of a part's first vector, or of the panel's where vectors lie apart.
  KOKKOS_INLINE_FUNCTION const Scalar* x_of(const PanelOfRow<Panel>& at, int part) const {
    return vectors.x.data + at.first_vector * vectors.x.vector_stride + (Interleaved ? part * vectors_of_lane : 0);
  }

  /// An entry of each of the part's vectors; of those that are not there, the last one's.
  KOKKOS_INLINE_FUNCTION void load_x(const PanelOfRow<Panel>& at, const Scalar* x_of_part, std::uint32_t row, int part,
                                     Scalar (&x)[vectors_of_lane]) const {
    // One multiplication of 32 by 32 bits, with an addition, makes the address.
    const std::uint32_t row_bytes = static_cast<std::uint32_t>(vectors.x.row_stride) * std::uint32_t(sizeof(Scalar));
    const auto* const from =
        reinterpret_cast<const Scalar*>(reinterpret_cast<const char*>(x_of_part) + std::uint64_t(row) * row_bytes);
    if constexpr (Interleaved) {
      const auto chunk = *reinterpret_cast<const Chunk<Scalar>*>(from);
      for (int v = 0; v < vectors_of_lane; ++v) x[v] = chunk.value[v];
    } else {
      for (int v = 0; v < vectors_of_lane; ++v) {
        const int vector = part * vectors_of_lane + v;
        x[v] = from[(vector < at.num_vectors ? vector : at.num_vectors - 1) * vectors.x.vector_stride];
      }
    }
  }

  /// Missing vectors are not stored.
  KOKKOS_INLINE_FUNCTION void store(const PanelOfRow<Panel>& at, int row, int vector, const Scalar& sum) const {
    if (!Interleaved && vector >= at.num_vectors) return;
    rows.store(vectors, rows.row_of_y(at.block_row) + row, at.first_vector + vector, sum);
  }
};

}  // namespace ashlar::impl
