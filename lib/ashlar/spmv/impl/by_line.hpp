#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/chunk.hpp>
#include <ashlar/bcsr/layout.hpp>
#include <ashlar/spmv/impl/add_up.hpp>
#include <ashlar/spmv/impl/lanes.hpp>
#include <ashlar/spmv/impl/line_parts.hpp>
#include <cstdint>
#include <type_traits>

namespace ashlar::impl {

/// A group of lanes multiplies one block row; a lane takes a line of a block at a time, or a part of one: a few values
/// that follow each other (line_parts). Neighbouring lanes take neighbouring parts, so that together they read all that
/// lies between, if each of their loads only some of it: the first cache holds the rest until it is asked for.
///
/// A lane keeps its place in the line. Of columns it needs one entry of x a line and sums for the rows of its part; of
/// rows it keeps the row as well, needs all of the block's x, and one sum.
///
/// Width is the group's width where that is compiled in, or 0. Serves the compiled block sizes that line_parts does.
template <class Rows, class TeamMember, int Width = 0>
struct ByLine {
  using Value = typename Rows::value_type;
  using Scalar = typename Rows::scalar_type;
  static constexpr int b = Rows::compiled_block_size;
  static constexpr bool by_columns = std::is_same_v<typename Rows::layout_type, BlockColumnMajor>;
  static_assert(line_parts(b, sizeof(Value), by_columns).is_served());
  static constexpr int load_size = line_parts(b, sizeof(Value), by_columns).load;
  static constexpr int height = line_parts(b, sizeof(Value), by_columns).height;
  static constexpr int parts = line_parts(b, sizeof(Value), by_columns).parts;
  static constexpr int whole = line_parts(b, sizeof(Value), by_columns).whole;
  static constexpr int unroll = line_parts(b, sizeof(Value), by_columns).under_way;
  static constexpr int sums = by_columns ? height : 1;
  static constexpr int entries_of_x = by_columns ? 1 : b;

  Rows rows;
  Grouping grouping;

  /// Scalars of scratch memory that a group needs: the sums of each lane, and one partial sum.
  static int scratch_scalars(int width) { return (sums + 1) * width; }

  KOKKOS_FUNCTION void operator()(const TeamMember& team) const {
    const Lanes<TeamMember, Width> lanes(team, grouping);
    const std::int64_t block_row = lanes.group();
    if (block_row >= rows.a.num_block_rows) return;
    const std::int64_t first = rows.begin(block_row), num_blocks = rows.end(block_row) - first;
    if (num_blocks > rows.a.longest_row) return;
    Scalar* const partial = lanes.template scratch<Scalar>((sums + 1) * lanes.width());
    const int busy = lanes.width() / whole * whole;

    lanes.for_each(busy, [&](int lane) {
      Scalar sum[sums];
      for (int i = 0; i < sums; ++i) sum[i] = Scalar(0);
      sum_lines(first, static_cast<int>(num_blocks) * b, lane / parts, busy / parts, lane % parts, sum);
      for (int i = 0; i < sums; ++i) partial[i * busy + lane] = sum[i];
    });
    add_up(
        lanes, b, by_columns ? busy / parts : busy / b, partial + sums * lanes.width(),
        [&](int row, int t) { return partial[place(row, t, busy)]; },
        [&](int row, const Scalar& sum) { rows.store(block_row, row, sum); });
  }

 private:
  /// Which of `partial` is the t-th summand of a row.
  KOKKOS_INLINE_FUNCTION static int place(int row, int t, int busy) {
    if constexpr (!by_columns) return t * b + row;
    return row % height * busy + t * parts + row / height;
  }

  /// sum[i] += the products of one part of line `from` of the block row, and of every step-th one after.
  KOKKOS_INLINE_FUNCTION void sum_lines(std::int64_t first_block, int num_lines, int from, int step, int part,
                                        Scalar (&sum)[sums]) const {
    const auto* const cols = rows.a.col_idx + first_block;
    const int place = part * height, rest = b - place;
    for (int l = from; l < num_lines; l += unroll * step) {
      std::uint32_t col[unroll];
      Value value[unroll][height];
      Scalar x[unroll][entries_of_x];
      for (int u = 0; u < unroll; ++u) {
        const int at = l + u * step;
        col[u] = at < num_lines ? static_cast<std::uint32_t>(cols[at / b]) : 0;
      }
      for (int u = 0; u < unroll; ++u) {
        const int at = l + u * step;
        for (int i = 0; i < height; ++i) value[u][i] = Value(0);
        if (at < num_lines) load(first_block, at, place, rest, value[u]);
      }
      for (int u = 0; u < unroll; ++u) {
        const int at = l + u * step;
        for (int j = 0; j < entries_of_x; ++j) {
          x[u][j] = Scalar(0);
          if (at < num_lines) x[u][j] = rows.a.x[col[u] * std::uint32_t(b) + std::uint32_t(by_columns ? at % b : j)];
        }
      }
      for (int u = 0; u < unroll; ++u) {
        for (int i = 0; i < height; ++i) {
          sum[by_columns ? i : 0] += rows.entry(value[u][i]) * x[u][by_columns ? 0 : i];
        }
      }
    }
  }

  /// A part of line `at` of the block row: the values from `place` on, of which there are `rest`.
  KOKKOS_INLINE_FUNCTION void load(std::int64_t first_block, int at, int place, int rest,
                                   Value (&value)[height]) const {
    const Value* const from = start_of(first_block, at) + place;
    for (int i = 0; i < height; i += load_size) {
      if (parts * height != b && i >= rest) break;
      const auto chunk = load_strided<load_size* int(sizeof(Value))>(from + i);
      for (int j = 0; j < load_size; ++j) value[i + j] = chunk.value[j];
    }
  }

  KOKKOS_INLINE_FUNCTION const Value* start_of(std::int64_t first_block, int at) const {
    if constexpr (Rows::is_indirect) return rows.block(first_block + at / b) + at % b * b;
    return rows.a.values + first_block * (b * b) + at * b;
  }
};

}  // namespace ashlar::impl
