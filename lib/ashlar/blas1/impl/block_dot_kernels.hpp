#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <ashlar/blas1/impl/block_tiles.hpp>
#include <cstdint>

namespace ashlar::impl {

/// Rows that one partial sum of a block of inner products is over. It does not depend on the machine.
inline constexpr std::int64_t rows_of_block_dot = 256;

/// Partial sums that are left when most have been folded together.
inline constexpr std::int64_t folded_sums = 64;

/// The inner products of some columns of x and of y over every groups-th row, on a GPU: a tile of pairs of columns a
/// lane. Neighbouring lanes take the tiles of a row, and then those of the next.
template <class X, class Y, class Partial>
struct BlockDotByTiles {
  X x;
  Y y;
  Partial partial;
  std::int64_t groups;

  static constexpr int edge = tile_edge;
  static constexpr int in_flight = 2;  ///< rows that a lane asks for before it uses the first

  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    const int p = static_cast<int>(x.extent(1)), q = static_cast<int>(y.extent(1));
    const int tiles_of_x = tiles_of(p), tiles_of_y = tiles_of(q), tiles = tiles_of_x * tiles_of_y;
    const std::int64_t group = index / tiles, n = x.extent(0);
    const int tile = static_cast<int>(index % tiles);
    // Beyond the last column a lane takes the last again, and does not use it.
    int of_x[edge], of_y[edge];
    for (int k = 0; k < edge; ++k) {
      of_x[k] = entry_of_tile(tile / tiles_of_y, k, tiles_of_x);
      of_y[k] = entry_of_tile(tile % tiles_of_y, k, tiles_of_y);
    }
    double sum[edge][edge] = {};
    std::int64_t row = group;
    for (; row + (in_flight - 1) * groups < n; row += in_flight * groups) add_rows<in_flight>(row, of_x, of_y, sum);
    for (; row < n; row += groups) add_rows<1>(row, of_x, of_y, sum);
    for (int i = 0; i < edge; ++i) {
      for (int j = 0; j < edge; ++j) {
        if (of_x[i] < p && of_y[j] < q) partial(group, of_x[i] * q + of_y[j]) = sum[i][j];
      }
    }
  }

 private:
  /// Adds the products of `Count` rows, `groups` apart.
  template <int Count>
  KOKKOS_INLINE_FUNCTION void add_rows(std::int64_t row, const int (&of_x)[edge], const int (&of_y)[edge],
                                       double (&sum)[edge][edge]) const {
    const int last_of_x = static_cast<int>(x.extent(1)) - 1, last_of_y = static_cast<int>(y.extent(1)) - 1;
    typename X::non_const_value_type a[Count][edge];
    typename Y::non_const_value_type b[Count][edge];
    for (int u = 0; u < Count; ++u) {
      for (int k = 0; k < edge; ++k) a[u][k] = x(row + u * groups, of_x[k] < last_of_x ? of_x[k] : last_of_x);
      for (int k = 0; k < edge; ++k) b[u][k] = y(row + u * groups, of_y[k] < last_of_y ? of_y[k] : last_of_y);
    }
    for (int u = 0; u < Count; ++u) {
      for (int i = 0; i < edge; ++i) {
        for (int j = 0; j < edge; ++j) sum[i][j] += double(a[u][i]) * double(b[u][j]);
      }
    }
  }
};

/// All of them over one range of rows, on a CPU: a thread takes row after row, whose entries lie together.
template <class X, class Y, class Partial>
struct BlockDotByRows {
  X x;
  Y y;
  Partial partial;

  void operator()(std::int64_t range) const {
    const std::int64_t first = range * rows_of_block_dot;
    const std::int64_t last = std::min<std::int64_t>(first + rows_of_block_dot, x.extent(0));
    const int of_x = static_cast<int>(x.extent(1)), of_y = static_cast<int>(y.extent(1));
    double sum[most_block_vectors * most_block_vectors];
    std::fill_n(sum, of_x * of_y, 0.0);
    double of_row[most_block_vectors];
    for (std::int64_t row = first; row < last; ++row) {
      for (int j = 0; j < of_y; ++j) of_row[j] = double(y(row, j));
      for (int i = 0; i < of_x; ++i) {
        const double entry = double(x(row, i));
        for (int j = 0; j < of_y; ++j) sum[i * of_y + j] += entry * of_row[j];
      }
    }
    for (int pair = 0; pair < of_x * of_y; ++pair) partial(range, pair) = sum[pair];
  }
};

}  // namespace ashlar::impl
