#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/blas1/impl/block_axpby_kernels.hpp>
#include <ashlar/blas1/impl/entries.hpp>
#include <cstdint>

namespace ashlar {

/// y := x*t + beta*w, for a small matrix t: each column of y is a combination of those of x.
///
/// Shapes   x is n x p, t is p x q, w and y are n x q, with p, q <= 64.
/// Types    of real numbers; t and the sums are double.
/// Memory   all reachable from `exec`. y may be w, and may share memory with x row by row: it may be x, or the first
///          columns of x.
/// Async    enqueued on `exec`; no fence, no allocation.
/// beta==0  w is not read.
/// Traffic  |x| + |y| + |w|*[beta!=0] bytes.
/// Throws   ShapeError.
template <execution_space Exec, multi_vector_view X, class T, multi_vector_view W, multi_vector_view Y>
void block_axpby(const Exec& exec, const X& x, const T& t, const double beta, const W& w, const Y& y) {
  const int p = static_cast<int>(x.extent(1)), q = static_cast<int>(y.extent(1));
  if (x.extent(0) != y.extent(0) || w.extent(0) != y.extent(0) || w.extent(1) != y.extent(1) || int(t.extent(0)) != p ||
      int(t.extent(1)) != q || p > impl::most_block_vectors || q > impl::most_block_vectors) {
    throw ShapeError(
        text("block_axpby: ", x.extent(0), " x ", p, " times ", t.extent(0), " x ", t.extent(1), ", plus ", w.extent(0),
             " x ", w.extent(1), " into ", y.extent(0), " x ", q),
        text("the columns of y are combinations of those of x, at most ", impl::most_block_vectors, " of each"),
        "pass blocks that fit");
  }
  if (y.extent(0) == 0 || q == 0) return;
  if constexpr (is_gpu_v<Exec>) {
    using Product = impl::BlockAxpbyByTiles<X, T, W, Y>;
    const int row_tiles = Product::choose_row_tiles(p, q), rows = row_tiles * impl::tile_edge;
    const auto teams = static_cast<int>((y.extent(0) + rows - 1) / rows);
    Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<Product::threads, 4>> policy(exec, teams, Product::threads, 1);
    policy.set_scratch_size(0, Kokkos::PerTeam(Product::scratch_bytes(p, row_tiles)));
    Kokkos::parallel_for("ashlar::block_axpby", policy, Product{x, t, beta, w, y, row_tiles});
  } else {
    Kokkos::parallel_for("ashlar::block_axpby", impl::entries(exec, y.extent(0)),
                         impl::BlockAxpbyByRows<X, T, W, Y>{x, t, beta, w, y});
  }
}

}  // namespace ashlar
