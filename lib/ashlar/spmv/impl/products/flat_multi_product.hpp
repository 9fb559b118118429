#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/bcsr/block.hpp>
#include <ashlar/spmv/impl/operands/arguments.hpp>
#include <ashlar/spmv/impl/operands/lanes.hpp>
#include <ashlar/spmv/impl/operands/vectors.hpp>
#include <ashlar/spmv/impl/products/block_row_entries.hpp>
#include <cstdint>
#include <type_traits>

namespace ashlar::impl {

/// FlatProduct for several vectors: a value, once loaded, multiplies a panel of them.
///
/// The panels of one block row are taken by groups next to each other, so that the values come from memory for the
/// first of them, and for the others from a cache.
template <class Rows, template <class, int> class Walk, class TeamMember, int Panel, bool Interleaved>
struct FlatMultiProduct {
  using Value = typename Rows::value_type;
  using Scalar = typename Rows::scalar_type;
  using Entries = BlockRowEntries<Rows>;
  static constexpr int chunk = Entries::chunk;
  static constexpr bool by_columns = std::is_same_v<typename Rows::layout_type, BlockColumnMajor>;
  /// Chunks that a lane has in flight before it uses the first.
  static constexpr int unroll = 4;

  Rows rows;
  MultiVectors<Scalar> vectors;
  Grouping grouping;
  int busy;  ///< busy_lanes of the group's width

  /// Scalars of scratch memory that a group needs: for each lane and vector a chunk of sums.
  KOKKOS_INLINE_FUNCTION static constexpr int scratch_scalars(int width) { return chunk * Panel * width; }

  KOKKOS_FUNCTION void operator()(const TeamMember& team) const {
    const Lanes<TeamMember> lanes(team, grouping);
    const PanelOfRow<Panel> at(lanes.group(), vectors.num_vectors);
    const EntryRange range = rows.entries_of(at.block_row);
    if (!range.is_there) return;
    const Entries entries(rows, range.begin, static_cast<int>(range.count()));
    const VectorPanel<Scalar, Panel, Interleaved> x(vectors.x, at.first_vector, at.num_vectors);
    Scalar* const partial = lanes.template scratch<Scalar>(scratch_scalars(lanes.width()));
    const int all = chunk * busy;

    lanes.for_each(busy, [&](int lane) {
      Scalar sum[chunk][Panel];
      for (int j = 0; j < chunk; ++j) {
        for (int v = 0; v < Panel; ++v) sum[j][v] = Scalar(0);
      }
      sum_entries(entries, x, range.begin, chunk * lane - entries.shift(), sum);
      for (int v = 0; v < Panel; ++v) {
        for (int j = 0; j < chunk; ++j) partial[v * all + chunk * lane + j] = sum[j][v];
      }
    });

    // Which sums are a row's: as FlatProduct says.
    const int R = rows.rows_of_block(), C = rows.cols_of_block(), summands = all / R;
    lanes.for_each(R * at.num_vectors, [&](int i) {
      // Neighbouring lanes store neighbouring entries of y.
      const int row = Interleaved ? i / at.num_vectors : i % R;
      const int v = Interleaved ? i - row * at.num_vectors : i / R;
      int place = 0, step = R;
      if constexpr (by_columns) {
        place = (row + entries.shift()) % R;
      } else {
        place = entries.shift() + row * C;
        step = 1;
      }
      Scalar sum(0);
      for (int t = 0, column = 0; t < summands; ++t) {
        sum += partial[v * all + (place < all ? place : place - all)];
        place += step;
        if constexpr (!by_columns) {
          if (++column == C) {
            column = 0;
            place += (R - 1) * C;
          }
        }
      }
      rows.store(vectors, rows.row_of_y(at.block_row) + row, at.first_vector + v, sum);
    });
  }

 private:
  using Panels = VectorPanel<Scalar, Panel, Interleaved>;

  /// sum[j][v] += the products of entry j of each chunk from `entry` on, in steps, and vector v.
  KOKKOS_INLINE_FUNCTION void sum_entries(const Entries& entries, const Panels& x, std::int64_t first, int entry,
                                          Scalar (&sum)[chunk][Panel]) const {
    const int step = chunk * busy, count = entries.count();
    Walk<Rows, chunk> walk(rows, first, entry, step);
    Value value[unroll][chunk] = {};
    if (entry < 0 && entry < count) {  // reaches back into the row before
      entries.load_last(entry, value[0]);
      add<true>(value[0], x, 0, walk, 0, entry, count, sum);
      entry += step;
      walk.advance(1);
    }
    for (; entry + (unroll - 1) * step + chunk <= count; entry += unroll * step) {
      std::uint32_t row_of_x[unroll];
      for (int u = 0; u < unroll; ++u) row_of_x[u] = walk.x(u, 0);
      for (int u = 0; u < unroll; ++u) entries.load(entry + u * step, value[u]);
      for (int u = 0; u < unroll; ++u) add<false>(value[u], x, row_of_x[u], walk, u, entry, count, sum);
      walk.advance(unroll);
    }
    for (int u = 0; u < unroll; ++u) {
      if (entry + u * step < count) entries.load_last(entry + u * step, value[u]);
    }
    for (int u = 0; u < unroll; ++u) {
      if (entry + u * step < count) add<true>(value[u], x, 0, walk, u, entry + u * step, count, sum);
    }
  }

  /// Adds the products of a chunk, which begins with `entry` and multiplies `row_of_x` first. Partly: only the entries
  /// that belong to the row.
  template <bool Partly>
  KOKKOS_INLINE_FUNCTION void add(const Value (&value)[chunk], const Panels& x, std::uint32_t row_of_x,
                                  const Walk<Rows, chunk>& walk, int u, int entry, int count,
                                  Scalar (&sum)[chunk][Panel]) const {
    Scalar x_of_entry[Panel] = {};
    bool loaded = false;
    for (int j = 0; j < chunk; ++j) {
      if (Partly && (entry + j < 0 || entry + j >= count)) continue;
      if (!Partly && j == 0) {
        x.load(row_of_x, x_of_entry);
      } else if (!loaded || (j > 0 && walk.moves_on(j))) {
        x.load(walk.x(u, j), x_of_entry);
      }
      loaded = true;
      for (int v = 0; v < Panel; ++v) sum[j][v] += rows.entry(value[j]) * x_of_entry[v];
    }
  }
};

}  // namespace ashlar::impl
