#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/blas1/impl/entries.hpp>
#include <cstdint>
#include <type_traits>

namespace ashlar::impl {

/// y := x*t + beta*w on a GPU: a team takes some rows of x to scratch memory, a lane makes a tile of their results.
template <class X, class T, class W, class Y>
struct MultiAxpbyByTiles {
  X x;
  T t;
  double beta;
  W w;
  Y y;
  int row_tiles;  ///< of a team

  using Scalar = typename Y::non_const_value_type;
  static constexpr int edge = tile_edge;
  static constexpr int threads = 128;
  static constexpr int most_held = 2048;  ///< entries of x in scratch memory

  /// Row tiles of a team: as many as it has lanes for, and scratch memory.
  static int choose_row_tiles(int p, int q) {
    return std::clamp(std::min(threads / tiles_of(q), most_held / (edge * stride_of(p))), 1, threads);
  }
  static std::size_t scratch_bytes(int p, int row_tiles) {
    return std::size_t(row_tiles) * edge * stride_of(p) * sizeof(double);
  }

  template <class TeamMember>
  KOKKOS_FUNCTION void operator()(const TeamMember& team) const {
    const int p = static_cast<int>(x.extent(1)), q = static_cast<int>(y.extent(1)), column_tiles = tiles_of(q);
    const int rows = row_tiles * edge, stride = stride_of(p), lane = team.team_rank();
    const std::int64_t first = std::int64_t(team.league_rank()) * rows, n = y.extent(0);
    double* const held =
        static_cast<double*>(team.team_scratch(0).get_shmem(std::size_t(rows) * stride * sizeof(double)));
    // There are two orders to traverse a tile. Neighbouring lanes use the one in which the entries lie side by side.
    constexpr bool by_rows = !std::is_same_v<typename Y::array_layout, Kokkos::LayoutLeft>;
    const int column_tile = by_rows ? lane % column_tiles : lane / row_tiles;
    const int row_tile = by_rows ? lane / column_tiles : lane % row_tiles;
    const bool is_busy = column_tile < column_tiles && row_tile < row_tiles;
    double sum[edge][edge] = {};
    // Before anything is written: y may be w, or x.
    for (int i = 0; i < edge && is_busy && beta != 0; ++i) {
      const std::int64_t row = first + entry_of_tile(row_tile, i, row_tiles);
      for (int j = 0; j < edge; ++j) {
        const int column = entry_of_tile(column_tile, j, column_tiles);
        if (row < n && column < q) sum[i][j] = beta * double(w(row, column));
      }
    }
    hold(lane, first, rows, p, held);
    team.team_barrier();
    if (!is_busy) return;
    for (int k = 0; k < p; ++k) {
      double of_x[edge], of_t[edge];
      for (int i = 0; i < edge; ++i) of_x[i] = held[entry_of_tile(row_tile, i, row_tiles) * stride + k];
      for (int j = 0; j < edge; ++j) {
        const int column = entry_of_tile(column_tile, j, column_tiles);
        of_t[j] = t(k, column < q ? column : q - 1);
      }
      for (int i = 0; i < edge; ++i) {
        for (int j = 0; j < edge; ++j) sum[i][j] += of_x[i] * of_t[j];
      }
    }
    for (int i = 0; i < edge; ++i) {
      const std::int64_t row = first + entry_of_tile(row_tile, i, row_tiles);
      for (int j = 0; j < edge; ++j) {
        const int column = entry_of_tile(column_tile, j, column_tiles);
        if (row < n && column < q) y(row, column) = Scalar(sum[i][j]);
      }
    }
  }

 private:
  /// The length of a row in scratch memory: odd, so that the entries of a column are in different banks.
  KOKKOS_INLINE_FUNCTION static constexpr int stride_of(int p) { return p | 1; }

  /// A lane's share of: held[row * stride + k] := x(first + row, k). Beyond the end there is 0.
  KOKKOS_INLINE_FUNCTION void hold(int lane, std::int64_t first, int rows, int p, double* held) const {
    if (p == 0) return;
    constexpr bool by_rows = !std::is_same_v<typename X::array_layout, Kokkos::LayoutLeft>;
    const int along = by_rows ? p : rows, across = by_rows ? rows : p;
    const int lanes_along = along < threads ? along : threads, lines = threads / lanes_along;
    for (int line = lane / lanes_along; line < (lane / lanes_along < lines ? across : 0); line += lines) {
      for (int at = lane % lanes_along; at < along; at += lanes_along) {
        const int row = by_rows ? line : at, k = by_rows ? at : line;
        held[row * stride_of(p) + k] = first + row < std::int64_t(x.extent(0)) ? double(x(first + row, k)) : 0;
      }
    }
  }
};

/// The same on a CPU: a row at a time.
template <class X, class T, class W, class Y>
struct MultiAxpbyByRows {
  X x;
  T t;
  double beta;
  W w;
  Y y;

  using Scalar = typename Y::non_const_value_type;

  void operator()(std::int64_t row) const {
    const int p = static_cast<int>(x.extent(1)), q = static_cast<int>(y.extent(1));
    double sum[most_vectors_of_multi];
    for (int j = 0; j < q; ++j) sum[j] = beta == 0 ? 0 : beta * double(w(row, j));
    for (int i = 0; i < p; ++i) {
      const double entry = double(x(row, i));
      for (int j = 0; j < q; ++j) sum[j] += entry * t(i, j);
    }
    for (int j = 0; j < q; ++j) y(row, j) = Scalar(sum[j]);
  }
};

}  // namespace ashlar::impl

namespace ashlar {

/// y := x*t + beta*w, for a small matrix t: each column of y is a combination of the columns of x.
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
void multi_axpby(const Exec& exec, const X& x, const T& t, const double beta, const W& w, const Y& y) {
  const int p = static_cast<int>(x.extent(1)), q = static_cast<int>(y.extent(1));
  if (x.extent(0) != y.extent(0) || w.extent(0) != y.extent(0) || w.extent(1) != y.extent(1) || int(t.extent(0)) != p ||
      int(t.extent(1)) != q || p > impl::most_vectors_of_multi || q > impl::most_vectors_of_multi) {
    throw ShapeError(
        text("multi_axpby: ", x.extent(0), " x ", p, " times ", t.extent(0), " x ", t.extent(1), ", plus ", w.extent(0),
             " x ", w.extent(1), " into ", y.extent(0), " x ", q),
        text("the columns of y are combinations of those of x, at most ", impl::most_vectors_of_multi, " of each"),
        "pass blocks that fit");
  }
  if (y.extent(0) == 0 || q == 0) return;
  if constexpr (is_gpu_v<Exec>) {
    using Product = impl::MultiAxpbyByTiles<X, T, W, Y>;
    const int row_tiles = Product::choose_row_tiles(p, q), rows = row_tiles * impl::tile_edge;
    const auto teams = static_cast<int>((y.extent(0) + rows - 1) / rows);
    Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<Product::threads, 4>> policy(exec, teams, Product::threads, 1);
    policy.set_scratch_size(0, Kokkos::PerTeam(Product::scratch_bytes(p, row_tiles)));
    Kokkos::parallel_for("ashlar::multi_axpby", policy, Product{x, t, beta, w, y, row_tiles});
  } else {
    Kokkos::parallel_for("ashlar::multi_axpby", impl::entries(exec, y.extent(0)),
                         impl::MultiAxpbyByRows<X, T, W, Y>{x, t, beta, w, y});
  }
}

}  // namespace ashlar
