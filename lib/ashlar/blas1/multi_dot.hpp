#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/blas1/impl/entries.hpp>
#include <cstdint>

namespace ashlar::impl {

/// Rows that one partial sum of a block of inner products is over. It does not depend on the machine.
inline constexpr std::int64_t rows_of_multi_dot = 256;

/// Partial sums that are left when most have been folded together.
inline constexpr std::int64_t folded_sums = 64;

/// The inner products of some columns of x and of y over every groups-th row, on a GPU: each lane computes a tile of
/// pairs of columns. Neighbouring lanes take the tiles of a row, then the tiles of the next row.
template <class X, class Y, class Partial>
struct MultiDotByTiles {
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
struct MultiDotByRows {
  X x;
  Y y;
  Partial partial;

  void operator()(std::int64_t range) const {
    const std::int64_t first = range * rows_of_multi_dot;
    const std::int64_t last = std::min<std::int64_t>(first + rows_of_multi_dot, x.extent(0));
    const int of_x = static_cast<int>(x.extent(1)), of_y = static_cast<int>(y.extent(1));
    double sum[most_vectors_of_multi * most_vectors_of_multi];
    std::fill_n(sum, of_x * of_y, 0.0);
    double of_row[most_vectors_of_multi];
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

namespace ashlar {

/// Rows that the scratch memory of multi_dot() has for vectors of n entries.
inline std::int64_t multi_dot_ranges(std::int64_t n) {
  return (n + impl::rows_of_multi_dot - 1) / impl::rows_of_multi_dot;
}

/// result := x^T y, the inner products of all columns of x with all of y: a small matrix, p x q, on the device.
///
/// Always added up in the same order: two runs give the same bits.
///
/// Shapes   x is n x p, y is n x q, with p, q <= 64; result is p x q; partial has at least multi_dot_ranges(n) rows and
///          p * q columns.
/// Types    of real numbers; the sums are double.
/// Memory   all reachable from `exec`; `partial` is scratch memory.
/// Async    enqueued on `exec`; no fence, no allocation.
/// Traffic  |x| + |y| bytes, and 16 * p * q for each 256 rows; x and y count once where the first cache holds on to
///          rows that neighbouring lanes are at.
/// Throws   ShapeError.
template <execution_space Exec, multi_vector_view X, multi_vector_view Y, class Result, class Partial>
void multi_dot(const Exec& exec, const X& x, const Y& y, const Result& result, const Partial& partial) {
  const std::int64_t n = x.extent(0), ranges = multi_dot_ranges(n);
  const int pairs = static_cast<int>(x.extent(1) * y.extent(1)), columns = static_cast<int>(y.extent(1));
  if (std::int64_t(y.extent(0)) != n || x.extent(1) > impl::most_vectors_of_multi ||
      y.extent(1) > impl::most_vectors_of_multi || result.extent(0) != x.extent(1) || result.extent(1) != y.extent(1) ||
      std::int64_t(partial.extent(0)) < ranges || int(partial.extent(1)) < pairs) {
    throw ShapeError(text("multi_dot: ", n, " x ", x.extent(1), " by ", y.extent(0), " x ", y.extent(1), " into ",
                          result.extent(0), " x ", result.extent(1)),
                     text("columns are multiplied in pairs, at most ", impl::most_vectors_of_multi, " of each"),
                     "pass blocks of equally long vectors, and scratch memory for them");
  }
  if constexpr (is_gpu_v<Exec>) {
    const std::int64_t tiles = impl::tiles_of(static_cast<int>(x.extent(1))) * impl::tiles_of(columns);
    Kokkos::parallel_for("ashlar::multi_dot", impl::entries(exec, ranges * tiles),
                         impl::MultiDotByTiles<X, Y, Partial>{x, y, partial, ranges});
  } else {
    Kokkos::parallel_for("ashlar::multi_dot", impl::entries(exec, ranges),
                         impl::MultiDotByRows<X, Y, Partial>{x, y, partial});
  }
  // In two steps: first each of a few sums takes up every so-maniest partial one, in the place of the first of these.
  const std::int64_t left = std::min(ranges, impl::folded_sums);
  Kokkos::parallel_for(
      "ashlar::multi_dot[fold]", impl::entries(exec, ranges > left ? left * pairs : 0),
      KOKKOS_LAMBDA(std::int64_t index) {
        const std::int64_t pair = index % pairs;
        double sum = 0;
        for (std::int64_t range = index / pairs; range < ranges; range += left) sum += partial(range, pair);
        partial(index / pairs, pair) = sum;
      });
  Kokkos::parallel_for(
      "ashlar::multi_dot[sum]", impl::entries(exec, pairs), KOKKOS_LAMBDA(std::int64_t pair) {
        double sum = 0;
        for (std::int64_t range = 0; range < left; ++range) sum += partial(range, pair);
        result(pair / columns, pair % columns) = sum;
      });
}

}  // namespace ashlar
