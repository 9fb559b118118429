#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/load_chunk.hpp>
#include <ashlar/spmv/impl/lanes.hpp>
#include <ashlar/spmv/impl/line_parts.hpp>
#include <ashlar/spmv/impl/reduce_scatter.hpp>
#include <ashlar/spmv/impl/vectors.hpp>
#include <cstdint>

namespace ashlar::impl {

/// The largest blocks that ByLineMulti takes: of larger ones a lane has no registers left for loads under way.
inline constexpr int largest_block_of_line_multi = 6;

/// The lanes of a block row that are compiled in, beside a warp's 32 (measured on an H200).
constexpr int usual_line_multi_width(int block_size) { return block_size <= 2 ? 8 : 16; }

/// The teams of 128 lanes that a multiprocessor is to hold, and so how many registers a lane has at most: of an H200's
/// 80, 64 or 56, whichever was fastest there. (HIP takes no more than 8.)
constexpr int line_multi_teams(int block_size) {
#ifdef KOKKOS_ENABLE_HIP
  constexpr int most = 8;
#else
  constexpr int most = 9;
#endif
  return block_size == 2 || block_size == 3 ? 6 : block_size == 4 ? most : 8;
}

/// ByLine for several vectors, of blocks by columns: some neighbouring lanes take a column of a block, each of them all
/// of its values and those vectors of the panel that one load of x brings. So a warp's loads of x are whole runs, each
/// value is one load for those lanes, and a lane's sums are few: of its vectors and the rows of the block.
///
/// Width is the group's width where that is compiled in, or 0: sums pass through registers then, else through scratch
/// memory.
template <class Rows, class TeamMember, int Panel, bool Interleaved, int Width = 0>
struct ByLineMulti {
  using Value = typename Rows::value_type;
  using Scalar = typename Rows::scalar_type;
  static constexpr int b = Rows::compiled_block_size;
  static_assert(1 <= b && b <= largest_block_of_line_multi);
  static constexpr int load_size = values_of_load(b, sizeof(Value));
  static constexpr int vectors_of_lane = Chunk<Scalar>::size;
  static constexpr int lanes_of_line = Panel / vectors_of_lane;
  /// Columns that a lane asks for before it uses the first: as many as there are registers for beside the sums.
  static constexpr int room = (232 - 16 * b) / (b * int(sizeof(Value)) + 16 + 4);
  static constexpr int unroll = std::clamp(room, 1, b == 2 ? 4 : 3);
  static constexpr int sums = b * vectors_of_lane;

  Rows rows;
  MultiVectors<Scalar> vectors;
  Grouping grouping;

  /// Scalars of scratch memory that a group needs: the sums of each lane.
  static int scratch_scalars(int width) { return Width > 0 ? 0 : sums * width; }

  KOKKOS_FUNCTION void operator()(const TeamMember& team) const {
    const Lanes<TeamMember, Width> lanes(team, grouping);
    const PanelOfRow<Panel> at = panel_of(lanes.group());
    if (at.block_row >= rows.a.num_block_rows || at.num_vectors <= 0) return;
    const std::int64_t first = rows.begin(at.block_row), num_blocks = rows.end(at.block_row) - first;
    if (num_blocks > rows.a.longest_row) return;
    const int num_lines = static_cast<int>(num_blocks) * b;
    if constexpr (Width > 0) {
      lanes.for_all([&](int lane) {
        constexpr int groups = Width / lanes_of_line;
        Scalar sum[vectors_of_lane][b];
        sum_lines(at, first, num_lines, lane / lanes_of_line, groups, lane % lanes_of_line, sum);
        for (int v = 0; v < vectors_of_lane; ++v) reduce_scatter<b, lanes_of_line>(lanes, lane, sum[v]);
        for (int i = 0; i * groups < b; ++i) {
          const int row = i * groups + lane / lanes_of_line;
          for (int v = 0; v < vectors_of_lane; ++v) {
            if (row < b) store(at, row, lane % lanes_of_line * vectors_of_lane + v, sum[v][i]);
          }
        }
      });
    } else {
      Scalar* const partial = lanes.template scratch<Scalar>(sums * lanes.width());
      const int at_a_time = lanes.width() / lanes_of_line;
      lanes.for_each(lanes.width(), [&](int lane) {
        Scalar sum[vectors_of_lane][b];
        sum_lines(at, first, num_lines, lane / lanes_of_line, at_a_time, lane % lanes_of_line, sum);
        for (int v = 0; v < vectors_of_lane; ++v) {
          for (int r = 0; r < b; ++r) partial[lane * sums + v * b + r] = sum[v][r];
        }
      });
      lanes.for_each(b * Panel, [&](int i) {
        const int vector = i % Panel, row = i / Panel;
        Scalar sum(0);
        for (int lane = vector / vectors_of_lane; lane < lanes.width(); lane += lanes_of_line) {
          sum += partial[lane * sums + vector % vectors_of_lane * b + row];
        }
        store(at, row, vector, sum);
      });
    }
  }

 private:
  /// Entries of x side by side: all panels of a block row, whose values are then read from memory once. Apart: block
  /// row after block row, as the entries of a panel's vectors are what the caches are full with.
  KOKKOS_INLINE_FUNCTION PanelOfRow<Panel> panel_of(std::int64_t group) const {
    if constexpr (Interleaved) return {group, vectors.num_vectors};
    return PanelOfRow<Panel>::of_panel_after_panel(group, vectors.num_vectors, rows.a.num_block_rows);
  }

  /// sum := the products of column `from` of the block row, and of every step-th one after, and the part's vectors.
  ///
  /// As in ByLine nothing is asked before a load: beyond the end lanes load the last column again, and do not use it.
  KOKKOS_INLINE_FUNCTION void sum_lines(const PanelOfRow<Panel>& at, std::int64_t first_block, int num_lines, int from,
                                        int step, int part, Scalar (&sum)[vectors_of_lane][b]) const {
    for (int v = 0; v < vectors_of_lane; ++v) {
      for (int r = 0; r < b; ++r) sum[v][r] = Scalar(0);
    }
    const auto* const cols = rows.a.col_idx + first_block;
    const Scalar* const x_of_part = x_of(at, part);
    for (int begin = 0; begin < num_lines; begin += unroll * step) {
      const int l = begin + from;
      std::uint32_t line[unroll], row_of_x[unroll];
      Value value[unroll][b];
      Scalar x[unroll][vectors_of_lane];
      for (int u = 0; u < unroll; ++u) line[u] = l + u * step < num_lines ? l + u * step : num_lines - 1;
      for (int u = 0; u < unroll; ++u) row_of_x[u] = std::uint32_t(cols[line[u] / b]) * b + line[u] % b;
      for (int u = 0; u < unroll; ++u) load(first_block, line[u], value[u]);
      for (int u = 0; u < unroll; ++u) load_x(at, x_of_part, row_of_x[u], part, x[u]);
      for (int u = 0; u < unroll; ++u) {
        if (l + u * step >= num_lines) continue;
        for (int r = 0; r < b; ++r) {
          const Scalar entry = rows.entry(value[u][r]);
          for (int v = 0; v < vectors_of_lane; ++v) sum[v][r] += entry * x[u][v];
        }
      }
    }
  }

  /// A column of a block.
  KOKKOS_INLINE_FUNCTION void load(std::int64_t first_block, std::uint32_t line, Value (&value)[b]) const {
    const Value* const from = rows.line(first_block, std::uint64_t(line));
    for (int i = 0; i < b; i += load_size) {
      const auto chunk = load_strided<load_size* int(sizeof(Value))>(from + i, rows.a.hint);
      for (int j = 0; j < load_size; ++j) value[i + j] = chunk.value[j];
    }
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

  /// Of vectors that are not there, nothing.
  KOKKOS_INLINE_FUNCTION void store(const PanelOfRow<Panel>& at, int row, int vector, const Scalar& sum) const {
    if (vector >= at.num_vectors) return;
    vectors.store(rows.a.alpha, sum, rows.a.beta, at.block_row * b + row, at.first_vector + vector);
  }
};

}  // namespace ashlar::impl
