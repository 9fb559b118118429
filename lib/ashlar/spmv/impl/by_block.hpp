#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/spmv/impl/lanes.hpp>

namespace ashlar::impl {

/// A group of lanes takes width / b^2 whole blocks of its block row at a time, one entry a lane.
///
/// Consecutive lanes read consecutive values, whatever the layout. Each lane keeps its place in the block, so its sum
/// is of one row; the sums of a row are added at the end. Serves b with b^2 <= width.
/// Source: Eberhardt & Hoemmen 2016, by-block algorithm.
template <class Rows, class TeamMember>
struct ByBlock {
  using Scalar = typename Rows::scalar_type;

  Rows rows;
  int width;

  KOKKOS_FUNCTION void operator()(const TeamMember& team) const {
    const std::int64_t block_row = std::int64_t(team.league_rank()) * team.team_size() + team.team_rank();
    if (block_row >= rows.a.num_block_rows) return;
    const Lanes<Scalar, TeamMember> lanes(team, width);
    Scalar* const partial = lanes.shared();
    const int b = rows.block_size();
    const int blocks_at_once = width / (b * b);
    const int busy = blocks_at_once * b * b;
    const std::int64_t begin = rows.begin(block_row), end = rows.end(block_row);

    lanes.for_each(busy, [&](int lane) {
      const int row = lane % b, column = lane / b % b;
      Scalar sum(0);
      for (std::int64_t k = begin + lane / (b * b); k < end; k += blocks_at_once) {
        sum += rows.block(k)[rows.at(row, column)] * rows.x_of(k)[column];
      }
      partial[lane] = sum;
    });
    lanes.sum_strided(b, busy);
    lanes.for_each(b, [&](int row) { rows.store(block_row, row, partial[row]); });
  }
};

}  // namespace ashlar::impl
