#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/spmv/impl/lanes.hpp>

namespace ashlar::impl {

/// A group of lanes takes width / b columns of its block row at a time, one entry a lane: the block row's columns are
/// one flat list, whatever block they are in.
///
/// A lane keeps its row of the block; the sums of a row are added at the end. With column-major blocks consecutive
/// lanes read consecutive values. Serves b <= width.
/// Source: Eberhardt & Hoemmen 2016, by-column algorithm.
template <class Rows, class TeamMember>
struct ByColumn {
  using Scalar = typename Rows::scalar_type;

  Rows rows;
  int width;

  KOKKOS_FUNCTION void operator()(const TeamMember& team) const {
    const std::int64_t block_row = std::int64_t(team.league_rank()) * team.team_size() + team.team_rank();
    if (block_row >= rows.a.num_block_rows) return;
    const Lanes<Scalar, TeamMember> lanes(team, width);
    Scalar* const partial = lanes.shared();
    const int b = rows.block_size();
    const int columns_at_once = width / b;
    const int busy = columns_at_once * b;
    const std::int64_t begin = rows.begin(block_row);
    // Columns of the block row, counted from its first; 32 bits, for the division below.
    const int num_columns = static_cast<int>(rows.end(block_row) - begin) * b;

    lanes.for_each(busy, [&](int lane) {
      const int row = lane % b;
      Scalar sum(0);
      // Four loads in flight before the first is used; one would leave the memory idle between them.
      constexpr int unroll = 4;
      int t = lane / b;
      for (; t + (unroll - 1) * columns_at_once < num_columns; t += unroll * columns_at_once) {
        Scalar value[unroll], x[unroll];
        for (int u = 0; u < unroll; ++u) {
          const int at = t + u * columns_at_once, block = at / b, column = at - block * b;
          value[u] = rows.block(begin + block)[rows.at(row, column)];
          x[u] = rows.x_of(begin + block)[column];
        }
        for (int u = 0; u < unroll; ++u) sum += value[u] * x[u];
      }
      for (; t < num_columns; t += columns_at_once) {
        const int block = t / b, column = t - block * b;
        sum += rows.block(begin + block)[rows.at(row, column)] * rows.x_of(begin + block)[column];
      }
      partial[lane] = sum;
    });
    lanes.sum_strided(b, busy);
    lanes.for_each(b, [&](int row) { rows.store(block_row, row, partial[row]); });
  }
};

}  // namespace ashlar::impl
