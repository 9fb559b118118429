#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/blas1/impl/block_kernels.hpp>
#include <ashlar/blas1/impl/entries.hpp>
#include <cstdint>

namespace ashlar {

/// y := x*t + beta*w, for a small matrix t: each column of y is a combination of those of x.
///
/// Shapes   x is n x p, t is p x q, w and y are n x q, with p, q <= 64.
/// Types    of real numbers; t and the sums are double.
/// Memory   all reachable from `exec`. y may be x or w, or share memory with them row by row.
/// Async    enqueued on `exec`; no fence, no allocation.
/// beta==0  w is not read.
/// Traffic  |x| + |y| + |w|*[beta!=0] bytes.
/// Throws   ShapeError.
template <execution_space Exec, multi_vector_view X, class T, multi_vector_view W, multi_vector_view Y>
void block_axpby(const Exec& exec, const X& x, const T& t, const double beta, const W& w, const Y& y) {
  using Scalar = typename Y::non_const_value_type;
  const int p = static_cast<int>(x.extent(1)), q = static_cast<int>(y.extent(1));
  if (x.extent(0) != y.extent(0) || w.extent(0) != y.extent(0) || w.extent(1) != y.extent(1) || int(t.extent(0)) != p ||
      int(t.extent(1)) != q || p > impl::most_block_vectors || q > impl::most_block_vectors) {
    throw ShapeError(
        text("block_axpby: ", x.extent(0), " x ", p, " times ", t.extent(0), " x ", t.extent(1), ", plus ", w.extent(0),
             " x ", w.extent(1), " into ", y.extent(0), " x ", q),
        text("the columns of y are combinations of those of x, at most ", impl::most_block_vectors, " of each"),
        "pass blocks that fit");
  }
  Kokkos::parallel_for(
      "ashlar::block_axpby", impl::entries(exec, y.extent(0)), KOKKOS_LAMBDA(std::int64_t row) {
        double sum[impl::most_block_vectors];
        for (int j = 0; j < q; ++j) sum[j] = beta == 0 ? 0 : beta * double(w(row, j));
        for (int i = 0; i < p; ++i) {
          const double entry = double(x(row, i));
          for (int j = 0; j < q; ++j) sum[j] += entry * t(i, j);
        }
        for (int j = 0; j < q; ++j) y(row, j) = Scalar(sum[j]);
      });
}

}  // namespace ashlar
