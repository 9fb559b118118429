#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/device/loads/load_chunk.hpp>
#include <ashlar/spmv/impl/operands/arguments.hpp>
#include <ashlar/spmv/impl/operands/lanes.hpp>
#include <ashlar/spmv/impl/operands/vectors.hpp>
#include <ashlar/spmv/impl/products/matrix_unit.hpp>
#include <cstdint>
#include <utility>

namespace ashlar::impl {

/// A block row times several vectors of doubles by the matrix unit: some warps take its columns, four at a time,
/// whatever block they are of, and multiply tiles of 8 rows x 4 columns with 4 entries of 8 vectors.
///
/// A tile of sums takes two registers a lane, so that many loads are in flight; that the unit counts eight rows where a
/// block has fewer costs less than the lanes' own arithmetic would.
///
/// RowTiles and VectorTiles are how many tiles of rows and of vectors a warp multiplies side by side: each value is
/// loaded once for all the vectors, each entry of x once for all the rows.
template <class Rows, class TeamMember, int RowTiles, int VectorTiles>
struct TensorCoreProduct {
  using Scalar = typename Rows::scalar_type;
  static constexpr int tile = 8, depth = 4, lanes_of_warp = 32;
  static constexpr int vectors_of_group = VectorTiles * tile;
  /// True if the entries of x have at least as many bytes as the entries of A: then many neighbouring block rows must
  /// share them in the first cache, and threads keep to few registers.
  static constexpr bool is_bound_by_x = RowTiles == 1 && VectorTiles == 1;
  static constexpr int threads_of_team = is_bound_by_x ? 512 : 256;
  /// Teams on a multiprocessor: what bounds the registers. Threads count for more than a spilled register or two.
  static constexpr int teams = RowTiles * VectorTiles == 2 ? 3 : 2;
  /// Steps of four columns that are loaded before the first is used.
  static constexpr int unroll = RowTiles <= 2 ? 4 : 2;

  /// Four columns consist of whole blocks and single columns.
  struct Steps {
    int blocks, columns;
  };

  Rows rows;
  MultiVectors<Scalar> vectors;
  Grouping grouping;
  int row_groups;  ///< of RowTiles tiles each, in a block row
  Steps steps;

  /// Scalars of scratch memory that a group needs: where it is some warps, the sums of all.
  static int scratch_scalars(int width) { return width > lanes_of_warp ? 2 * RowTiles * VectorTiles * width : 0; }

  KOKKOS_FUNCTION void operator()(const TeamMember& team) const {
    const Lanes<TeamMember> lanes(team, grouping);
    const PanelOfRow<vectors_of_group> panel(lanes.group(), vectors.num_vectors);
    const std::int64_t block_row = quotient(panel.block_row, row_groups);
    const EntryRange range = rows.entries_of(block_row);
    if (!range.is_there) return;
    const int first_row = static_cast<int>(panel.block_row - block_row * row_groups) * RowTiles * tile;
    const int width = lanes.width();
    const int rank = grouping.groups == 1 ? team.team_rank() : team.team_rank() & (width - 1);

    double sum[RowTiles][VectorTiles][2] = {};
    // Each warp takes a share of the blocks, as many at a time as it has lanes.
    const int warp = rank / lanes_of_warp, warps = width / lanes_of_warp, lane = rank % lanes_of_warp;
    const int begin = static_cast<int>(range.count() * warp / warps),
              end = static_cast<int>(range.count() * (warp + 1) / warps);
    Loads loads(*this, first_row, panel, lane);
    for (int k = begin; k < end; k += lanes_of_warp) {
      sum_blocks(loads, range.begin + k, end - k < lanes_of_warp ? end - k : lanes_of_warp, lane, sum);
    }
    if (width > lanes_of_warp) {
      Scalar* const partial = lanes.template scratch<Scalar>(2 * RowTiles * VectorTiles * width);
      add_warps(lanes, partial, rank, width / lanes_of_warp, sum);
      if (rank >= lanes_of_warp) return;
    }
    store(block_row, first_row, panel, rank % lanes_of_warp, sum);
  }

 private:
  using Panel = PanelOfRow<vectors_of_group>;
  using Sums = double[RowTiles][VectorTiles][2];
  using Value = typename Rows::value_type;

  /// A lane's loads: its place in every tile of a, and in every tile of x.
  ///
  /// A lane without a row or vector takes the last one: its results are never stored.
  class Loads {
   public:
    KOKKOS_INLINE_FUNCTION Loads(const TensorCoreProduct& product, int first_row, const Panel& panel, int lane)
        : rows_(product.rows),
          steps_(product.steps),
          row_stride_(static_cast<std::uint32_t>(product.vectors.x.row_stride)) {
      const int last_row = rows_.rows_of_block() - 1, last_vector = product.vectors.num_vectors - 1;
      for (int t = 0; t < RowTiles; ++t) {
        const int r = first_row + t * tile + lane / depth;
        row_[t] = r < last_row ? r : last_row;
      }
      for (int t = 0; t < VectorTiles; ++t) {
        const int v = panel.first_vector + t * tile + lane / depth;
        x_[t] = &product.vectors.x(0, v < last_vector ? v : last_vector);
      }
    }

    /// Begins with column `column` of the first of `num_blocks` blocks, 32 at most: each lane learns of one where it
    /// lies, and tells the others, so that nothing but that is waited for.
    KOKKOS_INLINE_FUNCTION void begin(std::int64_t first_block, int num_blocks, int column, int lane) {
      const std::int64_t mine = first_block + (lane < num_blocks ? lane : 0);
      row_of_block_ = std::uint32_t(rows_.a.col_idx[mine]) * std::uint32_t(rows_.cols_of_block());
      if constexpr (Rows::is_indirect) which_ = rows_.a.block[mine];
      values_ = rows_.block(first_block);
      block_ = rows_.block_of_column(column);
      column_ = column - block_ * rows_.cols_of_block();
    }

    /// The entries of a in the lane's column, if that is there, and which row of x it multiplies; then on to the next.
    KOKKOS_INLINE_FUNCTION std::uint32_t load(bool there, double (&a)[RowTiles]) {
      const std::uint32_t row_of_x = from_lane(row_of_block_, block_) + column_;
      const Value* values = values_ + block_ * rows_.values_of_block();
      if constexpr (Rows::is_indirect) {
        values = rows_.a.values + std::int64_t(from_lane(which_, block_)) * rows_.values_of_block();
      }
      for (int t = 0; t < RowTiles; ++t) {
        a[t] = there ? double(load_value(values + rows_.at(row_[t], column_))) : 0.0;
      }
      block_ += steps_.blocks;
      column_ += steps_.columns;
      if (column_ >= rows_.cols_of_block()) {
        column_ -= rows_.cols_of_block();
        ++block_;
      }
      return row_of_x;
    }

    KOKKOS_INLINE_FUNCTION double entry(int t, std::uint32_t row_of_x) const {
      return x_[t][std::uint64_t(row_of_x) * row_stride_];
    }

   private:
    /// Past the first cache where one load takes all that there is of a column.
    KOKKOS_INLINE_FUNCTION Value load_value(const Value* value) const {
      if constexpr (RowTiles == 1 && sizeof(Value) == 8) return load_once<8>(value, rows_.a.hint).value[0];
      return *value;
    }

    const Rows& rows_;
    Steps steps_;
    int row_[RowTiles];             // of a block
    const Scalar* x_[VectorTiles];  // a vector's first entry
    std::uint32_t row_stride_;      // of x
    std::uint32_t row_of_block_ = 0;
    typename Rows::offset_type which_ = 0;
    const Value* values_ = nullptr;
    int block_ = 0, column_ = 0;  // the column that is next: of which block, counted from the first, and which of that
  };

  KOKKOS_INLINE_FUNCTION void sum_blocks(Loads& loads, std::int64_t first, int num_blocks, int lane, Sums& sum) const {
    const int columns = num_blocks * rows.cols_of_block();
    double a[unroll][RowTiles], x[unroll][VectorTiles];
    std::uint32_t row_of_x[unroll];
    loads.begin(first, num_blocks, lane % depth, lane);
    int begin = 0;
    for (; begin + depth * unroll <= columns; begin += depth * unroll) {
      for (int u = 0; u < unroll; ++u) row_of_x[u] = loads.load(true, a[u]);
      for (int u = 0; u < unroll; ++u) {
        for (int t = 0; t < VectorTiles; ++t) x[u][t] = loads.entry(t, row_of_x[u]);
      }
      for (int u = 0; u < unroll; ++u) multiply(a[u], x[u], sum);
    }
    if (begin >= columns) return;
    // Zeros stand for columns beyond the last.
    for (int u = 0; u < unroll; ++u) row_of_x[u] = loads.load(begin + u * depth + lane % depth < columns, a[u]);
    for (int u = 0; u < unroll; ++u) {
      const bool there = begin + u * depth + lane % depth < columns;
      for (int t = 0; t < VectorTiles; ++t) x[u][t] = there ? loads.entry(t, row_of_x[u]) : 0.0;
    }
    for (int u = 0; u < unroll; ++u) multiply(a[u], x[u], sum);
  }

  KOKKOS_INLINE_FUNCTION static void multiply(const double (&a)[RowTiles], const double (&x)[VectorTiles], Sums& sum) {
    for (int r = 0; r < RowTiles; ++r) {
      for (int v = 0; v < VectorTiles; ++v) multiply_add_tile(a[r], x[v], sum[r][v]);
    }
  }

  /// The first warp's sums become the sums of all warps, added in the order of the warps.
  KOKKOS_INLINE_FUNCTION void add_warps(const Lanes<TeamMember>& lanes, Scalar* partial, int rank, int warps,
                                        Sums& sum) const {
    const int width = lanes.width();
    lanes.for_each(width, [&](int lane) {
      for_each_sum([&](int t, int v, int j) { partial[index(t, v, j) * width + lane] = sum[t][v][j]; });
    });
    if (rank >= lanes_of_warp) return;
    for_each_sum([&](int t, int v, int j) {
      double all = 0;
      for (int warp = 0; warp < warps; ++warp) all += partial[index(t, v, j) * width + warp * lanes_of_warp + rank];
      sum[t][v][j] = all;
    });
  }

  KOKKOS_INLINE_FUNCTION void store(std::int64_t block_row, int first_row, const Panel& panel, int lane,
                                    const Sums& sum) const {
    const int R = rows.rows_of_block();
    const std::int64_t row_of_y = rows.row_of_y(block_row);
    for_each_sum([&](int t, int v, int j) {
      const int row = first_row + t * tile + lane / depth;
      const int vector = panel.first_vector + v * tile + lane % depth * 2 + j;
      if (row >= R || vector >= vectors.num_vectors) return;
      rows.store(vectors, row_of_y + row, vector, sum[t][v][j]);
    });
  }

  KOKKOS_INLINE_FUNCTION static constexpr int index(int t, int v, int j) { return (t * VectorTiles + v) * 2 + j; }

  /// function(t, v, j) for each of a lane's sums. Written out by the compiler, lest the sums leave the registers.
  template <class Function>
  KOKKOS_INLINE_FUNCTION static void for_each_sum(const Function& function) {
    write_out(function, std::make_integer_sequence<int, RowTiles * VectorTiles * 2>{});
  }
  template <class Function, int... I>
  KOKKOS_INLINE_FUNCTION static void write_out(const Function& function, std::integer_sequence<int, I...>) {
    (function(I / 2 / VectorTiles, I / 2 % VectorTiles, I % 2), ...);
  }
};

}  // namespace ashlar::impl
