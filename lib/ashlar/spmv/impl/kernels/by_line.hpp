#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/block.hpp>
#include <ashlar/device/loads/load_chunk.hpp>
#include <ashlar/spmv/impl/launch/kernel_of.hpp>
#include <ashlar/spmv/impl/launch/spmv_launch.hpp>
#include <ashlar/spmv/impl/operands/arguments.hpp>
#include <ashlar/spmv/impl/operands/lanes.hpp>
#include <ashlar/spmv/impl/products/block_parts.hpp>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace ashlar::impl {

/// A group of lanes multiplies one block row; a lane takes a line of a block at a time, or a part of one: a few values
/// that follow each other (line_parts). Neighbouring lanes take neighbouring parts, so that together they read all that
/// lies between, though each of their loads takes only some of it: the first cache holds the rest until it is asked
/// for.
///
/// A lane keeps its place in the line. For columns it needs one entry of x per line and sums for the rows of its part.
/// For rows it also keeps the row, and needs all of the block's x and one sum.
///
/// Width is the group's width where that is compiled in, or 0. Serves the compiled block sizes that line_parts does.
template <class Rows, class TeamMember, int Width = 0>
struct ByLine {
  using Value = typename Rows::value_type;
  using Scalar = typename Rows::scalar_type;
  static constexpr int b = Rows::compiled_block_size;
  static constexpr bool by_columns = std::is_same_v<typename Rows::layout_type, BlockColumnMajor>;
  static constexpr LineParts line_of_block = line_parts(b, sizeof(Value), sizeof(Scalar), by_columns);
  static_assert(line_of_block.is_served());
  static constexpr int load_size = line_of_block.load;
  static constexpr bool in_pairs = line_of_block.in_pairs;
  static constexpr int height = line_of_block.height;
  static constexpr int parts = line_of_block.parts;
  static constexpr int whole = line_of_block.whole;
  static constexpr int unroll = line_of_block.in_flight;
  static constexpr int sums = by_columns ? height : 1;
  static constexpr int entries_of_x = by_columns ? 1 : b;
  /// True if lanes exchange values in registers, which takes few steps; else through scratch memory.
  static constexpr bool in_registers = parts == 1 && b <= Width && Width <= 32;

  Rows rows;
  Grouping grouping;

  /// Scalars of scratch memory that a group needs: the sums of each lane, and one partial sum.
  static int scratch_scalars(int width) { return in_registers ? 0 : (sums + 1) * width; }

  KOKKOS_FUNCTION void operator()(const TeamMember& team) const {
    const Lanes<TeamMember, Width> lanes(team, grouping);
    const std::int64_t block_row = lanes.group();
    const EntryRange range = rows.entries_of(block_row);
    if (!range.is_there) return;
    const int num_lines = static_cast<int>(range.count()) * b;
    if constexpr (in_registers) return multiply_in_registers(lanes, block_row, range.begin, num_lines);
    Scalar* const partial = lanes.template scratch<Scalar>((sums + 1) * lanes.width());
    const int busy = lanes.width() / whole * whole;

    lanes.for_each(busy, [&](int lane) {
      Scalar sum[sums];
      for (int i = 0; i < sums; ++i) sum[i] = Scalar(0);
      sum_lines(range.begin, num_lines, lane / parts, busy / parts, lane % parts, sum);
      for (int i = 0; i < sums; ++i) partial[i * busy + lane] = sum[i];
    });
    add_up(
        lanes, b, by_columns ? busy / parts : busy / b, partial + sums * lanes.width(),
        [&](int row, int t) { return partial[summand_at(row, t, busy)]; }, [](int row) { return row; },
        [&](int row, const Scalar& sum) { rows.store(block_row, row, sum); });
  }

 private:
  /// The product of a group that passes its sums, and of rows also its x, from register to register.
  KOKKOS_INLINE_FUNCTION void multiply_in_registers(const Lanes<TeamMember, Width>& lanes, std::int64_t block_row,
                                                    std::int64_t first, int num_lines) const {
    // (With for_all, and places of lines in 64 bits, as ByLineMulti has them, b = 2 and 3 took 5 to 20 % longer on an
    // H200.)
    lanes.for_each(Width, [&](int lane) {
      if constexpr (by_columns) {
        Scalar sum[sums];
        for (int i = 0; i < sums; ++i) sum[i] = Scalar(0);
        sum_lines(first, num_lines, lane, Width, 0, sum);
        reduce_scatter<b, 1>(lanes, lane, sum);
        if (lane < b) rows.store(block_row, lane, sum[0]);
      } else {
        const Scalar of_lane = sum_rows(lanes, first, num_lines, lane);
        Scalar of_row = of_lane;
        for (int other = b; other < Width / b * b; other += b) of_row += lanes.of_lane((lane + other) % Width, of_lane);
        if (lane < b) rows.store(block_row, lane, of_row);
      }
    });
  }

  /// The sum of the products of row `lane` of the block row's list of rows of blocks, and of every busy-th one after.
  /// Each lane loads one entry of x and gets the others of its block from its neighbours, so that all lanes go on to
  /// the end; those that have no row repeat the first lane's and leave the sum unused.
  KOKKOS_INLINE_FUNCTION Scalar sum_rows(const Lanes<TeamMember, Width>& lanes, std::int64_t first_block, int num_lines,
                                         int lane) const {
    constexpr int busy = Width / b * b;
    const auto* const cols = rows.a.col_idx + first_block;
    const int from = lane < busy ? lane : 0, first_of_block = from / b * b;
    Scalar sum(0);
    for (int begin = 0; begin < num_lines; begin += unroll * busy) {
      const int l = begin + from;
      std::uint32_t line[unroll], x_begin[unroll];
      Value value[unroll][height];
      Scalar x[unroll];
      for (int u = 0; u < unroll; ++u) line[u] = l + u * busy < num_lines ? l + u * busy : num_lines - 1;
      for (int u = 0; u < unroll; ++u) x_begin[u] = std::uint32_t(cols[line[u] / b]) * b;
      for (int u = 0; u < unroll; ++u) load(first_block, line[u], 0, value[u]);
      for (int u = 0; u < unroll; ++u) x[u] = rows.a.x[x_begin[u] + line[u] % b];
      for (int u = 0; u < unroll; ++u) {
        const bool is_there = l + u * busy < num_lines, late = begins_late(first_block, line[u], 0);
        for (int j = 0; j < b; ++j) {
          const Scalar x_of_column = lanes.of_lane(first_of_block + j, x[u]);
          if (is_there) sum += rows.entry(of_part(value[u], j, late)) * x_of_column;
        }
      }
    }
    return sum;
  }

  /// The first place of a part in its line.
  KOKKOS_INLINE_FUNCTION static int begin_of(int part) {
    return part * height + height <= b ? part * height : b - height;
  }

  /// Which of `partial` is the t-th summand of a row.
  KOKKOS_INLINE_FUNCTION static int summand_at(int row, int t, int busy) {
    if constexpr (!by_columns) return t * b + row;
    const int part = row / height;
    return (row - begin_of(part)) * busy + t * parts + part;
  }

  /// sum[i] += the products of one part of line `from` of the block row, and of every step-th one after.
  ///
  /// Nothing is asked before a load: beyond the end lanes load the last line again, and do not use it. A load that
  /// depends on a condition would be waited for before the next is issued. So all lanes go on to the end together.
  KOKKOS_INLINE_FUNCTION void sum_lines(std::int64_t first_block, int num_lines, int from, int step, int part,
                                        Scalar (&sum)[sums]) const {
    const auto* const cols = rows.a.col_idx + first_block;
    for (int begin = 0; begin < num_lines; begin += unroll * step) {
      const int l = begin + from;
      std::uint32_t line[unroll], x_begin[unroll];
      Value value[unroll][height];
      Scalar x[unroll][entries_of_x];
      for (int u = 0; u < unroll; ++u) line[u] = l + u * step < num_lines ? l + u * step : num_lines - 1;
      for (int u = 0; u < unroll; ++u) x_begin[u] = std::uint32_t(cols[line[u] / b]) * b;
      for (int u = 0; u < unroll; ++u) load(first_block, line[u], begin_of(part), value[u]);
      for (int u = 0; u < unroll; ++u) {
        if (by_columns) x_begin[u] += line[u] % b;
        for (int j = 0; j < entries_of_x; ++j) x[u][j] = rows.a.x[x_begin[u] + j];
      }
      for (int u = 0; u < unroll; ++u) {
        if (l + u * step >= num_lines) continue;
        const bool late = begins_late(first_block, line[u], begin_of(part));
        for (int i = 0; i < height; ++i) {
          sum[by_columns ? i : 0] += rows.entry(of_part(value[u], i, late)) * x[u][by_columns ? 0 : i];
        }
      }
    }
  }

  /// Loads a part of a line of the block row: the values from `place` on. Pairs come first, then the single value.
  KOKKOS_INLINE_FUNCTION void load(std::int64_t first_block, std::uint32_t line, int place,
                                   Value (&value)[height]) const {
    const Value* from = rows.line(first_block, line) + place;
    constexpr int at_a_time = in_pairs ? 2 : load_size, all = in_pairs ? height - 1 : height;
    if constexpr (in_pairs) {
      const bool begins_late = begins_between_pairs(from);
      value[height - 1] =
          load_strided<int(sizeof(Value))>(begins_late ? from : from + height - 1, rows.a.hint).value[0];
      if (begins_late) ++from;
    }
    for (int i = 0; i < all; i += at_a_time) {
      const auto chunk = load_strided<at_a_time* int(sizeof(Value))>(from + i, rows.a.hint);
      for (int j = 0; j < at_a_time; ++j) value[i + j] = chunk.value[j];
    }
  }

  /// Value i of a part that load() has loaded.
  KOKKOS_INLINE_FUNCTION static Value of_part(const Value (&value)[height], int i, bool begins_late) {
    if constexpr (!in_pairs) return value[i];
    return begins_late ? value[i > 0 ? i - 1 : height - 1] : value[i];
  }

  KOKKOS_INLINE_FUNCTION static bool begins_between_pairs(const Value* from) {
    return reinterpret_cast<std::uintptr_t>(from) / sizeof(Value) % 2 != 0;
  }

  KOKKOS_INLINE_FUNCTION bool begins_late(std::int64_t first_block, std::uint32_t line, int place) const {
    return in_pairs && begins_between_pairs(rows.line(first_block, line) + place);
  }
};

/// For several vectors: staged.
template <>
struct KernelOf<Kernel::by_line> : KernelBasics<Kernel::by_line> {
  static constexpr bool has_single = true;
  static constexpr bool has_multi = false;

  static Kernel in_place(const SpmvShape& shape) { return shape.many_vectors ? Kernel::staged : Kernel::by_line; }
  static std::string why_not(const SpmvShape& shape, int) {
    return text(
        "it takes square blocks of a compiled size from 2 on, up to 32 by columns and less by rows, with up to ",
        widest(shape), " lanes");
  }
  /// Pairs begin where the address says.
  static int bytes_of_load(const BlockShape& shape, int value_bytes) {
    return values_of_load(shape.rows, value_bytes) * value_bytes;
  }
  static constexpr int compiled_size(int block_size, int, bool, bool) { return block_size; }

  /// Each lane has several sums in scratch memory.
  static int widest(const SpmvShape&) { return 256; }
  static int entries_at_a_time(const SpmvShape& shape) { return line_of(shape).height; }
  static int busy_lanes(const SpmvShape& shape, int width) {
    const LineParts line = line_of(shape);
    return line.is_served() ? line.busy_lanes(width) : 0;
  }

  /// Where lines beat chunks and tiles (measured on an H200): in small blocks, where chunks straddle columns, and where
  /// chunks hold so many small values that a lane has too few of them.
  static bool pays(const SpmvShape& shape, const SpmvDevice& device) {
    const int b = shape.block_shape.rows;
    if (shape.value_bytes > 8) return false;  // a chunk is one value: it straddles nothing
    if (b == 2) return (shape.by_columns || shape.value_bytes == 8) && shape.in_order && shape.double_vectors;
    // Of 8 the chunks are faster by little where the memory is the bound, and slower elsewhere.
    if (b == 8 && (has_uneven_rows(shape) || double(shape.num_block_rows) * device.warp < 4 * enough_threads(device))) {
      return true;
    }
    return b <= 7 || b % 2 == 1 || (shape.by_columns && shape.value_bytes <= 4);
  }

  /// All measured on an H200: what suits the average block row, or the compiled width where that is near; fewer lanes
  /// where most block rows are shorter; and more where otherwise much of the device would be idle and a lane would have
  /// several rounds of loads, or where a lane would have many lines.
  static int choose_width(const SpmvShape& shape, const SpmvDevice& device) {
    constexpr double most_lines_of_lane = 128;
    const LineParts line = line_of(shape);
    const double lines = average_row(shape) * shape.block_shape.rows;
    int width = line_width(line, lines, device.warp);
    const int usual = usual_line_width(line, shape.block_shape.rows);
    if (has_uneven_rows(shape)) {
      // Long rows are then cut into more segments, too.
      if (width >= 8 && line.busy_lanes(width / 2) > 0) width /= 2;
    } else if (device.is_gpu && (width == 2 * usual || 2 * width == usual)) {
      width = usual;
    }
    // Groups that add up in registers lose that beyond a warp.
    const double many_lines = (line.parts == 1 ? 4.0 : 2.0) * line.in_flight;
    while (2 * width <= widest(shape)) {
      const double of_lane = line.lines_of_lane(lines, width);
      const bool idle = double(shape.num_block_rows) * width < enough_threads(device) / 2 && of_lane > many_lines;
      if (!idle && of_lane <= most_lines_of_lane) break;
      width *= 2;
    }
    return width;
  }
  static std::vector<LaunchRequest> candidates(const SpmvShape& shape, const SpmvDevice& device,
                                               const SpmvLaunch& model) {
    return requests_by_width(kernel, shape, device, model.grouping.width, 2);
  }
  static std::string grounds(const SpmvShape& shape, const SpmvDevice&, const SpmvLaunch& launch) {
    return work_of_lanes(kernel, shape, launch.grouping.width, line_of(shape).parts > 1 ? "parts of lines" : "lines");
  }

  template <class Exec, class Rows>
  static void run(const Exec& exec, const SpmvLaunch& launch, const Rows& rows) {
    constexpr int b = Rows::compiled_block_size;
    constexpr bool by_columns = std::is_same_v<typename Rows::layout_type, BlockColumnMajor>;
    constexpr LineParts line =
        line_parts(b, sizeof(typename Rows::value_type), sizeof(typename Rows::scalar_type), by_columns);
    if constexpr (line.is_served()) {
      constexpr int usual = is_gpu_v<Exec> ? usual_line_width(line, b) : 0;
      if (usual > 0 && launch.grouping.width == usual) return run_width<usual>(exec, launch, rows);
      run_width<0>(exec, launch, rows);
    }
  }

 private:
  /// How it distributes the lines of these blocks, if it serves them.
  static LineParts line_of(const SpmvShape& shape) {
    if (!is_compiled(shape.block_shape)) return {};
    return line_parts(shape.block_shape.rows, shape.value_bytes, vector_bytes_of(shape), shape.by_columns);
  }

  template <int Width, class Exec, class Rows>
  static void run_width(const Exec& exec, const SpmvLaunch& launch, const Rows& rows) {
    using Product = ByLine<Rows, typename Kokkos::TeamPolicy<Exec>::member_type, Width>;
    launch_teams<1024, 1>(exec, launch, rows.a.num_block_rows,  // 64 registers
                          Product::scratch_scalars(launch.grouping.width) * sizeof(typename Rows::scalar_type),
                          Product{rows, launch.grouping});
  }
};

}  // namespace ashlar::impl
