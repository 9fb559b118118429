#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
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

namespace ashlar::impl {

/// by_block of blocks that are stored by rows: a lane keeps its columns of the block, and goes down its rows with the
/// one part of x that it needs for all of them. (A list of chunks, as for other blocks, would have a part of x for each
/// chunk, and the first cache would have twice as much to do.)
///
/// The lanes of a group take a few rows of a block side by side, and a few blocks: together they read consecutively.
/// Where rows begin between sectors, the first cache holds the rest of those for the next rows.
/// Serves the compiled block sizes that block_parts does.
template <class Rows, class TeamMember>
struct ByBlockRows {
  using Value = typename Rows::value_type;
  using Scalar = typename Rows::scalar_type;
  static constexpr int b = Rows::compiled_block_size;
  static constexpr BlockParts parts = block_parts(b, sizeof(Value));
  static_assert(parts.is_served());
  static constexpr int lanes_of_block = parts.lanes();
  static constexpr int load_bytes = parts.load * int(sizeof(Value));
  /// Loads that a lane has in flight before it uses the first.
  static constexpr int in_flight = std::min(parts.sums, 64 / load_bytes);

  Rows rows;
  Grouping grouping;

  /// Scalars of scratch memory that a group needs: the sums of each lane, and one partial sum.
  static int scratch_scalars(int width) { return (parts.sums + 1) * width; }

  KOKKOS_FUNCTION void operator()(const TeamMember& team) const {
    const Lanes<TeamMember> lanes(team, grouping);
    const std::int64_t block_row = lanes.group();
    const EntryRange range = rows.entries_of(block_row);
    if (!range.is_there) return;
    Scalar* const partial = lanes.template scratch<Scalar>((parts.sums + 1) * lanes.width());
    const int blocks_at_a_time = lanes.width() / lanes_of_block, busy = blocks_at_a_time * lanes_of_block;

    lanes.for_each(busy, [&](int lane) {
      Scalar sum[parts.sums];
      for (int i = 0; i < parts.sums; ++i) sum[i] = Scalar(0);
      const int place = lane % lanes_of_block;
      sum_blocks(range.begin, static_cast<int>(range.count()), lane / lanes_of_block, blocks_at_a_time,
                 place / parts.lanes_of_row, place % parts.lanes_of_row * parts.load, sum);
      for (int i = 0; i < parts.sums; ++i) partial[i * busy + lane] = sum[i];
    });
    add_up(
        lanes, b, blocks_at_a_time * parts.lanes_of_row, partial + parts.sums * lanes.width(),
        [&](int row, int t) {
          const int of_blocks = t / parts.lanes_of_row * lanes_of_block + t % parts.lanes_of_row;
          return partial[row / parts.rows_at_a_time * busy + row % parts.rows_at_a_time * parts.lanes_of_row +
                         of_blocks];
        },
        [](int row) { return row; }, [&](int row, const Scalar& sum) { rows.store(block_row, row, sum); });
  }

 private:
  /// sum[i] += row first_row + i * rows_at_a_time of a block times the lane's part of x, for every step-th block of the
  /// block row from block `from` on.
  KOKKOS_INLINE_FUNCTION void sum_blocks(std::int64_t first_block, int num_blocks, int from, int step, int first_row,
                                         int column, Scalar (&sum)[parts.sums]) const {
    if (from >= num_blocks) return;
    const auto* const cols = rows.a.col_idx + first_block;
    for (int k = from; k < num_blocks; k += step) {
      const Value* const block = rows.block(first_block + k) + first_row * b + column;
      const std::uint32_t x_begin = std::uint32_t(cols[k]) * b + column;
      // Loaded before the values, as x waits for it, and the products for x.
      Scalar x[parts.load];
      for (int j = 0; j < parts.load; ++j) x[j] = rows.a.x[x_begin + j];
      for (int begin = 0; begin < parts.sums; begin += in_flight) {
        Chunk<Value, load_bytes> chunk[in_flight];
        for (int u = 0; u < in_flight; ++u) {
          if (begin + u < parts.sums)
            chunk[u] = load_strided<load_bytes>(block + offset(first_row, begin + u), rows.a.hint);
        }
        for (int u = 0; u < in_flight; ++u) {
          if (begin + u >= parts.sums) continue;
          for (int j = 0; j < parts.load; ++j) sum[begin + u] += rows.entry(chunk[u].value[j]) * x[j];
        }
      }
    }
  }

  /// The position of a lane's i-th row, from its first. A row beyond the block is replaced by the last row, which a
  /// neighbour reads at the same time; its sum is not used.
  KOKKOS_INLINE_FUNCTION static int offset(int first_row, int i) {
    const int row = i * parts.rows_at_a_time;
    constexpr bool all_have_as_many = b % parts.rows_at_a_time == 0;
    return all_have_as_many || first_row + row < b ? row * b : (b - 1 - first_row) * b;
  }
};

template <>
struct KernelOf<Kernel::by_block_rows> : KernelBasics<Kernel::by_block_rows> {
  static constexpr bool has_single = true;
  static constexpr bool has_multi = false;

  static bool serves(const SpmvShape& shape, int width) {
    return block_parts_of(shape).is_served() && KernelBasics::serves(shape, width);
  }
  static std::string why_not(const SpmvShape& shape, int width) {
    if (block_parts_of(shape).is_served()) return KernelBasics::why_not(shape, width);
    return "it takes square blocks of a compiled size from 10 to 32, by rows, of values of 8 bytes at most";
  }
  static int bytes_of_load(const BlockShape& shape, int value_bytes) {
    return block_parts(shape.rows, value_bytes).load * value_bytes;
  }
  static constexpr int compiled_size(int block_size, int value_bytes, bool by_columns, bool) {
    return !by_columns && block_parts(block_size, value_bytes).is_served() ? block_size : runtime_block_size;
  }

  static int widest(const SpmvShape&) { return widest_by_block_rows; }
  static int entries_at_a_time(const SpmvShape& shape) { return block_parts_of(shape).load; }
  static int busy_lanes(const SpmvShape& shape, int width) { return block_parts_of(shape).busy_lanes(width); }

  static int choose_width(const SpmvShape& shape, const SpmvDevice& device) {
    LaneHabits habits;
    // As many bytes as others have in their chunks of 16.
    habits.chunks_of_lane = 16 * habits.chunks_of_lane / (block_parts_of(shape).load * shape.value_bytes);
    // Lanes that go down a block with their part of x are bound by their loads: idle ones beside them cost less.
    habits.weight_of_idle = 3;
    // A group of more than two warps waits for the last of many lanes (b = 17: 64 lanes are faster by 3 % than 128).
    habits.far_barrier = 0.3;
    return width_by_chunks(kernel, shape, device, habits);
  }
  static std::string grounds(const SpmvShape& shape, const SpmvDevice&, const SpmvLaunch& launch) {
    return work_of_lanes(kernel, shape, launch.grouping.width, "chunks");
  }

  template <class Exec, class Rows>
  static void run(const Exec& exec, const SpmvLaunch& launch, const Rows& rows) {
    using Value = typename Rows::value_type;
    constexpr bool by_columns = std::is_same_v<typename Rows::layout_type, BlockColumnMajor>;
    if constexpr (!by_columns && block_parts(Rows::compiled_block_size, sizeof(Value)).is_served()) {
      using Product = ByBlockRows<Rows, typename Kokkos::TeamPolicy<Exec>::member_type>;
      launch_teams<widest_by_block_rows, 3>(
          exec, launch, rows.a.num_block_rows,  // 80 registers
          Product::scratch_scalars(launch.grouping.width) * sizeof(typename Rows::scalar_type),
          Product{rows, launch.grouping});
    }
  }
};

}  // namespace ashlar::impl
