#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/spmv/impl/lanes.hpp>
#include <cstdint>

namespace ashlar::impl {

/// A lane takes one row of its block row, from the first block to the last.
///
/// Lanes do not interact. All lanes of a group read the same entry of x at the same time, one broadcast from the first
/// cache: the copy of x in shared memory that the paper makes (for GPUs of 2016) would only add a barrier.
/// Serves every b; with b beyond the group's width a lane takes several rows.
/// Source: Eberhardt & Hoemmen 2016, row-per-thread algorithm.
template <class Rows, class TeamMember>
struct RowPerThread {
  using Scalar = typename Rows::scalar_type;

  Rows rows;
  Grouping grouping;

  KOKKOS_FUNCTION void operator()(const TeamMember& team) const {
    const Lanes<TeamMember> lanes(team, grouping);
    const std::int64_t block_row = lanes.group();
    if (block_row >= rows.a.num_block_rows) return;
    const int R = rows.rows_of_block(), C = rows.cols_of_block();
    const std::int64_t begin = rows.begin(block_row), end = rows.end(block_row);
    if (end - begin > rows.a.longest_row) return;

    lanes.for_each(R, [&](int row) {
      Scalar sum(0);
      for (std::int64_t k = begin; k < end; ++k) {
        const auto* const block = rows.block(k);
        const Scalar* const x = rows.x_of(k);
        for (int column = 0; column < C; ++column) sum += rows.entry(block[rows.at(row, column)]) * x[column];
      }
      rows.store(block_row, row, sum);
    });
  }
};

}  // namespace ashlar::impl
