#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/bcsr/block.hpp>
#include <ashlar/spmv/impl/operands/arguments.hpp>
#include <ashlar/spmv/impl/operands/lanes.hpp>
#include <ashlar/spmv/impl/products/block_row_entries.hpp>
#include <cstdint>
#include <type_traits>

namespace ashlar::impl {

/// Lanes that start whole periods of entries at a time, each with a chunk: the most of `width` that can.
KOKKOS_INLINE_FUNCTION constexpr int busy_lanes(int width, int period, int chunk) {
  int quantum = period;  // the fewest entries that are whole periods and whole chunks
  while (quantum % chunk != 0) quantum += period;
  const int lanes = quantum / chunk;
  return width / lanes * lanes;
}

/// A group of lanes multiplies one block row: its entries are one list in the order of storage, of which the lanes take
/// chunk after chunk side by side. Walk gives the period that the lanes keep, and the entries of x that a chunk
/// multiplies.
///
/// All chunks of a lane belong to the same rows of the block, so that it sums in registers. The sums of a row are added
/// in scratch memory at the end, always in the same order.
///
/// Width is the group's width where that is compiled in, which saves short block rows much arithmetic on indices; or 0.
template <class Rows, template <class, int> class Walk, class TeamMember, int Width = 0>
struct FlatProduct {
  using Value = typename Rows::value_type;
  using Scalar = typename Rows::scalar_type;
  using Entries = BlockRowEntries<Rows>;
  static constexpr int chunk = Entries::chunk;
  static constexpr bool by_columns = std::is_same_v<typename Rows::layout_type, BlockColumnMajor>;
  /// Chunks that a lane has in flight before it uses the first: one would leave the memory idle between them.
  static constexpr int unroll = 4;

  Rows rows;
  Grouping grouping;
  int busy_of_width;  ///< busy_lanes of the group's width

  /// Scalars of scratch memory that a group needs: a chunk of sums for each lane, and one partial sum.
  static int scratch_scalars(int width) { return (chunk + 1) * width; }

  KOKKOS_FUNCTION void operator()(const TeamMember& team) const {
    const Lanes<TeamMember, Width> lanes(team, grouping);
    const std::int64_t block_row = lanes.group();
    const EntryRange range = rows.entries_of(block_row);
    if (!range.is_there) return;
    const Entries entries(rows, range.begin, static_cast<int>(range.count()));
    Scalar* const partial = lanes.template scratch<Scalar>((chunk + 1) * lanes.width());

    lanes.for_each(busy(), [&](int lane) {
      Scalar sum[chunk];
      for (int j = 0; j < chunk; ++j) sum[j] = Scalar(0);
      sum_entries(entries, range.begin, chunk * lane - entries.shift(), sum);
      for (int j = 0; j < chunk; ++j) partial[chunk * lane + j] = sum[j];
    });
    sum_rows(lanes, block_row, entries.shift(), partial);
  }

 private:
  KOKKOS_INLINE_FUNCTION int busy() const {
    if constexpr (Width > 0 && Rows::compiled_block_size > 0) {
      constexpr int lanes =
          busy_lanes(Width, Walk<Rows, chunk>::period(Rows::compiled_block_size, Rows::compiled_block_size), chunk);
      return lanes;
    } else {
      return busy_of_width;
    }
  }

  /// sum[j] += the products of entry j of each chunk from `entry` on, in steps.
  KOKKOS_INLINE_FUNCTION void sum_entries(const Entries& entries, std::int64_t first, int entry,
                                          Scalar (&sum)[chunk]) const {
    const int step = chunk * busy(), count = entries.count();
    Walk<Rows, chunk> walk(rows, first, entry, step);
    for (; entry + (unroll - 1) * step + chunk <= count; entry += unroll * step) {
      Value value[unroll][chunk];
      Scalar x[unroll][chunk];
      for (int u = 0; u < unroll; ++u) entries.load(entry + u * step, value[u]);
      for (int u = 0; u < unroll; ++u) x[u][0] = rows.a.x[walk.x(u, 0)];
      for (int j = 1; j < chunk; ++j) {
        for (int u = 0; u < unroll; ++u) x[u][j] = x[u][j - 1];
        if (!walk.moves_on(j)) continue;
        for (int u = 0; u < unroll; ++u) x[u][j] = rows.a.x[walk.x(u, j)];
      }
      drop_entries_before(entry, value[0], x[0]);
      for (int u = 0; u < unroll; ++u) {
        for (int j = 0; j < chunk; ++j) sum[j] += rows.entry(value[u][j]) * x[u][j];
      }
      walk.advance(unroll);
    }
    // The same for the last chunk, without the entries beyond the end.
    Value value[unroll][chunk];
    Scalar x[unroll][chunk];
    for (int u = 0; u < unroll; ++u) {
      for (int j = 0; j < chunk; ++j) x[u][j] = Scalar(0);
      for (int j = 0; j < chunk; ++j) value[u][j] = Value(0);
      if (entry + u * step < count) entries.load_last(entry + u * step, value[u]);
    }
    for (int u = 0; u < unroll; ++u) {
      if (entry + u * step < count) x[u][0] = rows.a.x[walk.x(u, 0)];
    }
    for (int j = 1; j < chunk; ++j) {
      for (int u = 0; u < unroll; ++u) x[u][j] = entry + u * step + j < count ? x[u][j - 1] : Scalar(0);
      if (!walk.moves_on(j)) continue;
      for (int u = 0; u < unroll; ++u) {
        if (entry + u * step + j < count) x[u][j] = rows.a.x[walk.x(u, j)];
      }
    }
    drop_entries_before(entry, value[0], x[0]);
    for (int u = 0; u < unroll; ++u) {
      for (int j = 0; j < chunk; ++j) sum[j] += rows.entry(value[u][j]) * x[u][j];
    }
  }

  /// Entries before the block row's first count nothing, NaN included.
  KOKKOS_INLINE_FUNCTION static void drop_entries_before(int entry, Value (&value)[chunk], Scalar (&x)[chunk]) {
    if constexpr (chunk > 1) {
      if (entry >= 0) return;
      for (int j = 0; j < chunk; ++j) {
        if (entry + j < 0) {
          value[j] = Value(0);
          x[j] = Scalar(0);
        }
      }
    }
  }

  /// Which of `partial` is the t-th summand of the rows' k-th sum. Blocks by columns: any count of shift() turns the
  /// rows alike, so that the k-th sum is taken without it.
  KOKKOS_INLINE_FUNCTION int place(int k, int t, int shift) const {
    const int R = rows.rows_of_block(), C = rows.cols_of_block();
    if constexpr (by_columns) return k + t * R;
    const int place = shift + k * C + t / C * (R * C) + t % C, all = chunk * busy();
    return place < all ? place : place - all;
  }

  /// The sum that is this row's.
  KOKKOS_INLINE_FUNCTION int sum_of(int row, int shift) const {
    if constexpr (!by_columns) return row;
    const int b = rows.rows_of_block();
    int k = row + shift;
    while (k >= b) k -= b;
    return k;
  }

  /// Adds up the lanes' sums and stores the rows.
  KOKKOS_INLINE_FUNCTION void sum_rows(const Lanes<TeamMember, Width>& lanes, std::int64_t block_row, int shift,
                                       Scalar* partial) const {
    const int b = rows.rows_of_block();
    add_up(
        lanes, b, chunk * busy() / b, partial + chunk * lanes.width(),
        [&](int k, int t) { return partial[place(k, t, shift)]; }, [&](int row) { return sum_of(row, shift); },
        [&](int row, const Scalar& sum) { rows.store(block_row, row, sum); });
  }
};

}  // namespace ashlar::impl
