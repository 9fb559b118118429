#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/amg/aggregate.hpp>
#include <ashlar/amg/near_null_space.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/bcsr/build_by_rows.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/bcsr/transpose_index.hpp>
#include <cstddef>
#include <cstdint>

namespace ashlar::amg {

/// The tentative prolongator P0, with one block a node, and the near-null space of the coarse level: P0 * coarse_modes
/// is the near-null space of the fine level, on all nodes that have an aggregate.
template <class Matrix>
struct Tentative {
  Matrix prolongator;
  NearNullSpace<typename Matrix::memory_space> coarse_modes;
};

namespace impl {

/// Counts and fills the block rows of P0: the block of a node's aggregate, whose values follow.
template <class Space>
struct TentativeRow {
  Kokkos::View<const std::int32_t*, Space> aggregate_of_node;

  KOKKOS_FUNCTION int operator()(std::int64_t i) const { return aggregate_of_node(i) >= 0; }
  template <class Row>
  KOKKOS_FUNCTION void operator()(std::int64_t i, const Row& row) const {
    if (row.num_blocks() > 0) row.column(0) = aggregate_of_node(i);
  }
};

/// The rows of the near-null space in one aggregate as Q R: Q in the blocks of its nodes, R in the coarse modes.
/// Modified Gram-Schmidt, each column twice. A column that depends on those before becomes 0 in both. An aggregate is a
/// team's, whose threads have the same rows in each pass.
template <class Matrix, class Exec>
struct FactorAggregate {
  using Team = typename Kokkos::TeamPolicy<Exec>::member_type;
  using Scalar = typename Matrix::scalar_type;
  using Layout = typename Matrix::layout_type;
  using Space = typename Matrix::memory_space;

  TransposeIndex<typename Matrix::ordinal_type, typename Matrix::offset_type, Space> nodes;
  NearNullSpace<Space> modes, coarse_modes;
  Scalar* values;
  int b, m;

  /// Entry (row r, mode k) of the node with this block.
  KOKKOS_INLINE_FUNCTION Scalar& entry(std::int64_t block, int r, int k) const {
    return values[block * b * m + Layout::at(r, k, b, m)];
  }

  KOKKOS_INLINE_FUNCTION std::int64_t first_of(std::int64_t aggregate) const { return nodes.row_ptr(aggregate); }
  KOKKOS_INLINE_FUNCTION int num_rows(std::int64_t aggregate) const {
    return static_cast<int>(std::int64_t(nodes.row_ptr(aggregate + 1)) - first_of(aggregate)) * b;
  }

  /// work(block, row of the matrix, row of the block) for each row of the aggregate.
  template <class Work>
  KOKKOS_INLINE_FUNCTION void for_each_row(const Team& team, const Work& work) const {
    const std::int64_t aggregate = team.league_rank(), first = first_of(aggregate);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, num_rows(aggregate)), [&](int row) {
      const std::int64_t e = first + row / b;
      work(std::int64_t(nodes.block_offset(e)), std::int64_t(nodes.block_row(e)) * b + row % b, row % b);
    });
  }

  /// The inner product of two columns.
  KOKKOS_INLINE_FUNCTION double product(const Team& team, int j, int k) const {
    const std::int64_t aggregate = team.league_rank(), first = first_of(aggregate);
    double sum = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, num_rows(aggregate)),
        [&](int row, double& part) {
          const std::int64_t block = nodes.block_offset(first + row / b);
          part += double(entry(block, row % b, j)) * double(entry(block, row % b, k));
        },
        sum);
    return sum;
  }

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    for_each_row(team, [&](std::int64_t block, std::int64_t row, int r) {
      for (int k = 0; k < m; ++k) entry(block, r, k) = static_cast<Scalar>(modes(row, k));
    });
    const std::int64_t first = std::int64_t(team.league_rank()) * m;
    for (int k = 0; k < m; ++k) {
      const double before = product(team, k, k);
      for (int repetition = 0; repetition < 2; ++repetition) {
        for (int j = 0; j < k; ++j) {
          const double share = product(team, j, k);
          Kokkos::single(Kokkos::PerTeam(team), [&] { coarse_modes(first + j, k) += share; });
          for_each_row(team, [&](std::int64_t block, std::int64_t, int r) {
            entry(block, r, k) -= static_cast<Scalar>(share * double(entry(block, r, j)));
          });
        }
      }
      const double after = product(team, k, k);
      constexpr double rounding = sizeof(Scalar) == sizeof(float) ? 1e-10 : 1e-16;
      const bool depends = !(after > rounding * before);
      const double length = depends ? 0 : Kokkos::sqrt(after), scale = depends ? 0 : 1 / length;
      Kokkos::single(Kokkos::PerTeam(team), [&] { coarse_modes(first + k, k) = length; });
      for_each_row(team, [&](std::int64_t block, std::int64_t, int r) {
        entry(block, r, k) = static_cast<Scalar>(scale * double(entry(block, r, k)));
      });
    }
  }
};

}  // namespace impl

/// P0 of a level with these aggregates and modes, by a QR factorisation of each aggregate's rows.
///
/// Async    waits for `exec`.
/// Source   Vanek, Mandel and Brezina 1996, section 3.
template <bcsr_matrix Matrix, execution_space Exec>
Tentative<Matrix> tentative_prolongator(const Exec& exec, const Aggregates<typename Matrix::memory_space>& aggregates,
                                        const NearNullSpace<typename Matrix::memory_space>& modes, int block_size) {
  using Space = typename Matrix::memory_space;
  const int m = static_cast<int>(modes.extent(1));
  const impl::TentativeRow<Space> row{aggregates.of_node};
  const auto prolongator = build_by_rows<Matrix>(
      exec, {block_size, m}, static_cast<typename Matrix::ordinal_type>(aggregates.of_node.extent(0)), aggregates.count,
      row, row);
  const NearNullSpace<Space> coarse(Kokkos::view_alloc(exec, "ashlar::amg::modes"), std::size_t(aggregates.count) * m,
                                    m);
  Kokkos::parallel_for("ashlar::amg[QR]", Kokkos::TeamPolicy<Exec>(exec, aggregates.count, is_gpu_v<Exec> ? 32 : 1),
                       impl::FactorAggregate<Matrix, Exec>{transpose_index(exec, prolongator.graph()), modes, coarse,
                                                           prolongator.values().data(), block_size, m});
  exec.fence("ashlar::amg: tentative prolongator");
  return {prolongator, coarse};
}

}  // namespace ashlar::amg
