#pragma once

#include <Kokkos_Core.hpp>

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

  KOKKOS_FUNCTION void operator()(const TeamMember& team) const {
    const std::int64_t block_row = std::int64_t(team.league_rank()) * team.team_size() + team.team_rank();
    if (block_row >= rows.a.num_block_rows) return;
    const int b = rows.block_size();
    const std::int64_t begin = rows.begin(block_row), end = rows.end(block_row);

    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, b), [&](int row) {
      Scalar sum(0);
      for (std::int64_t k = begin; k < end; ++k) {
        const Scalar* const block = rows.block(k);
        const Scalar* const x = rows.x_of(k);
        for (int column = 0; column < b; ++column) sum += block[rows.at(row, column)] * x[column];
      }
      rows.store(block_row, row, sum);
    });
  }
};

}  // namespace ashlar::impl
