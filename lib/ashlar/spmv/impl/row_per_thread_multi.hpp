#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/spmv/impl/lanes.hpp>
#include <ashlar/spmv/impl/vectors.hpp>
#include <cstdint>

namespace ashlar::impl {

/// RowPerThread for several vectors: a lane takes one row of its block row, and a panel of vectors.
template <class Rows, class TeamMember, int Panel>
struct RowPerThreadMulti {
  using Scalar = typename Rows::scalar_type;

  Rows rows;
  MultiVectors<Scalar> vectors;
  Grouping grouping;

  KOKKOS_FUNCTION void operator()(const TeamMember& team) const {
    const Lanes<TeamMember> lanes(team, grouping);
    const PanelOfRow<Panel> at(lanes.group(), vectors.num_vectors);
    if (at.block_row >= rows.a.num_block_rows) return;
    const std::int64_t begin = rows.begin(at.block_row), end = rows.end(at.block_row);
    if (end - begin > rows.a.longest_row) return;
    const VectorPanel<Scalar, Panel, false> x(vectors.x, at.first_vector, at.num_vectors);
    const int R = rows.rows_of_block(), C = rows.cols_of_block();

    lanes.for_each(R, [&](int row) {
      Scalar sum[Panel];
      for (int v = 0; v < Panel; ++v) sum[v] = Scalar(0);
      for (std::int64_t k = begin; k < end; ++k) {
        const auto* const block = rows.block(k);
        const std::int64_t first = std::int64_t(rows.a.col_idx[k]) * C;
        for (int column = 0; column < C; ++column) {
          Scalar x_of_entry[Panel];
          x.load(first + column, x_of_entry);
          const Scalar value = rows.entry(block[rows.at(row, column)]);
          for (int v = 0; v < Panel; ++v) sum[v] += value * x_of_entry[v];
        }
      }
      for (int v = 0; v < at.num_vectors; ++v) {
        vectors.store(rows.a.alpha, sum[v], rows.a.beta, at.block_row * R + row, at.first_vector + v);
      }
    });
  }
};

}  // namespace ashlar::impl
