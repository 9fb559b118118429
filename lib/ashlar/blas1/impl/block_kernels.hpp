#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <cstdint>

namespace ashlar::impl {

/// The most vectors of a block.
inline constexpr int most_block_vectors = 64;

/// Rows that one partial sum of a block of inner products is over. It does not depend on the machine: the sums are the
/// same everywhere.
inline constexpr std::int64_t rows_of_block_dot = 512;

/// The inner products of the columns of x and y over one range of rows, on a GPU: a thread for each pair of columns.
template <class X, class Y, class Partial>
struct BlockDotByPairs {
  X x;
  Y y;
  Partial partial;

  template <class TeamMember>
  KOKKOS_FUNCTION void operator()(const TeamMember& team) const {
    const std::int64_t first = std::int64_t(team.league_rank()) * rows_of_block_dot;
    const std::int64_t n = x.extent(0), last = first + rows_of_block_dot < n ? first + rows_of_block_dot : n;
    const int columns = static_cast<int>(y.extent(1)), pairs = static_cast<int>(x.extent(1)) * columns;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, pairs), [&](int pair) {
      const int i = pair / columns, j = pair % columns;
      double sum = 0;
      for (std::int64_t row = first; row < last; ++row) sum += double(x(row, i)) * double(y(row, j));
      partial(team.league_rank(), pair) = sum;
    });
  }
};

/// The same on a CPU: a thread takes row after row, whose entries lie together.
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
