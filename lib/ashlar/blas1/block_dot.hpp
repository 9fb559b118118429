#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/blas1/impl/block_dot_kernels.hpp>
#include <ashlar/blas1/impl/entries.hpp>
#include <cstdint>

namespace ashlar {

/// Rows that the scratch memory of block_dot() has for vectors of n entries.
inline std::int64_t block_dot_ranges(std::int64_t n) {
  return (n + impl::rows_of_block_dot - 1) / impl::rows_of_block_dot;
}

/// result := x^T y, the inner products of all columns of x with all of y: a small matrix, p x q, on the device.
///
/// Always added up in the same order: two runs give the same bits.
///
/// Shapes   x is n x p, y is n x q, with p, q <= 64; result is p x q; partial has at least block_dot_ranges(n) rows and
///          p * q columns.
/// Types    of real numbers; the sums are double.
/// Memory   all reachable from `exec`; `partial` is scratch memory.
/// Async    enqueued on `exec`; no fence, no allocation.
/// Traffic  |x| + |y| bytes, and 16 * p * q for each 256 rows; x and y count once where the first cache holds on to
///          rows that neighbouring lanes are at.
/// Throws   ShapeError.
template <execution_space Exec, multi_vector_view X, multi_vector_view Y, class Result, class Partial>
void block_dot(const Exec& exec, const X& x, const Y& y, const Result& result, const Partial& partial) {
  const std::int64_t n = x.extent(0), ranges = block_dot_ranges(n);
  const int pairs = static_cast<int>(x.extent(1) * y.extent(1)), columns = static_cast<int>(y.extent(1));
  if (std::int64_t(y.extent(0)) != n || x.extent(1) > impl::most_block_vectors ||
      y.extent(1) > impl::most_block_vectors || result.extent(0) != x.extent(1) || result.extent(1) != y.extent(1) ||
      std::int64_t(partial.extent(0)) < ranges || int(partial.extent(1)) < pairs) {
    throw ShapeError(text("block_dot: ", n, " x ", x.extent(1), " by ", y.extent(0), " x ", y.extent(1), " into ",
                          result.extent(0), " x ", result.extent(1)),
                     text("columns are multiplied in pairs, at most ", impl::most_block_vectors, " of each"),
                     "pass blocks of equally long vectors, and scratch memory for them");
  }
  if constexpr (is_gpu_v<Exec>) {
    const std::int64_t tiles = impl::tiles_of(static_cast<int>(x.extent(1))) * impl::tiles_of(columns);
    Kokkos::parallel_for("ashlar::block_dot", impl::entries(exec, ranges * tiles),
                         impl::BlockDotByTiles<X, Y, Partial>{x, y, partial, ranges});
  } else {
    Kokkos::parallel_for("ashlar::block_dot", impl::entries(exec, ranges),
                         impl::BlockDotByRows<X, Y, Partial>{x, y, partial});
  }
  // In two steps: first each of a few sums takes up every so-maniest partial one, in the place of the first of these.
  const std::int64_t left = std::min(ranges, impl::folded_sums);
  Kokkos::parallel_for(
      "ashlar::block_dot[fold]", impl::entries(exec, ranges > left ? left * pairs : 0),
      KOKKOS_LAMBDA(std::int64_t index) {
        const std::int64_t pair = index % pairs;
        double sum = 0;
        for (std::int64_t range = index / pairs; range < ranges; range += left) sum += partial(range, pair);
        partial(index / pairs, pair) = sum;
      });
  Kokkos::parallel_for(
      "ashlar::block_dot[sum]", impl::entries(exec, pairs), KOKKOS_LAMBDA(std::int64_t pair) {
        double sum = 0;
        for (std::int64_t range = 0; range < left; ++range) sum += partial(range, pair);
        result(pair / columns, pair % columns) = sum;
      });
}

}  // namespace ashlar
