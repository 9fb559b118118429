#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/text.hpp>
#include <ashlar/spmv/impl/launch/kernel_of.hpp>
#include <ashlar/spmv/impl/launch/spmv_launch.hpp>
#include <ashlar/spmv/impl/operands/arguments.hpp>
#include <ashlar/spmv/impl/operands/lanes.hpp>
#include <ashlar/spmv/impl/operands/vectors.hpp>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

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
    const EntryRange range = rows.entries_of(block_row);
    if (!range.is_there) return;
    const int R = rows.rows_of_block(), C = rows.cols_of_block();

    lanes.for_each(R, [&](int row) {
      Scalar sum(0);
      for (std::int64_t k = range.begin; k < range.end; ++k) {
        const auto* const block = rows.block(k);
        const Scalar* const x = rows.x_of(k);
        for (int column = 0; column < C; ++column) sum += rows.entry(block[rows.at(row, column)]) * x[column];
      }
      rows.store(block_row, row, sum);
    });
  }
};

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
    const EntryRange range = rows.entries_of(at.block_row);
    if (!range.is_there) return;
    const VectorPanel<Scalar, Panel, false> x(vectors.x, at.first_vector, at.num_vectors);
    const int R = rows.rows_of_block(), C = rows.cols_of_block();

    lanes.for_each(R, [&](int row) {
      Scalar sum[Panel];
      for (int v = 0; v < Panel; ++v) sum[v] = Scalar(0);
      for (std::int64_t k = range.begin; k < range.end; ++k) {
        const auto* const block = rows.block(k);
        const std::int64_t first = std::int64_t(rows.a.col_idx[k]) * C;
        for (int column = 0; column < C; ++column) {
          Scalar x_of_entry[Panel];
          x.load(first + column, x_of_entry);
          const Scalar value = rows.entry(block[rows.at(row, column)]);
          for (int v = 0; v < Panel; ++v) sum[v] += value * x_of_entry[v];
        }
      }
      const std::int64_t row_of_y = rows.row_of_y(at.block_row) + row;
      for (int v = 0; v < at.num_vectors; ++v) rows.store(vectors, row_of_y, at.first_vector + v, sum[v]);
    });
  }
};

/// For what no other kernel takes: every block, wherever its values begin.
template <>
struct KernelOf<Kernel::row_per_thread> : KernelBasics<Kernel::row_per_thread> {
  static constexpr bool has_single = true;
  static constexpr bool has_multi = true;
  static constexpr std::int64_t most_entries_of_x = no_limit;

  /// A lane a row.
  static int choose_width(const SpmvShape& shape, const SpmvDevice& device) {
    return static_cast<int>(std::bit_ceil(unsigned(std::min(shape.block_shape.rows, device.warp))));
  }
  static std::vector<LaunchRequest> candidates(const SpmvShape&, const SpmvDevice& device, const SpmvLaunch& model) {
    std::vector<LaunchRequest> requests;
    const int most = std::min(device.warp, 2 * model.grouping.width);
    for (int width = std::max(1, model.grouping.width / 4); width <= most; width *= 2) {
      requests.push_back({kernel, width, 0});
    }
    return requests;
  }
  static std::string grounds(const SpmvShape& shape, const SpmvDevice&, const SpmvLaunch&) {
    return text(", a lane for each of the ", shape.block_shape.rows, " rows of a block");
  }

  template <class Exec, class Rows>
  static void run(const Exec& exec, const SpmvLaunch& launch, const Rows& rows) {
    using Product = RowPerThread<Rows, typename Kokkos::TeamPolicy<Exec>::member_type>;
    launch_teams<1024, 1>(exec, launch, rows.a.num_block_rows, 0, Product{rows, launch.grouping});
  }

  template <class Exec, class Rows>
  static void run_multi(const Exec& exec, const SpmvLaunch& launch, const Rows& rows,
                        const MultiVectors<typename Rows::scalar_type>& vectors) {
    with_panel<4, usual_panel>(vectors, [&](auto panel, auto) {
      using Product = RowPerThreadMulti<Rows, typename Kokkos::TeamPolicy<Exec>::member_type, panel()>;
      launch_teams<512, 1>(exec, launch, num_panels<panel()>(rows, vectors.num_vectors), 0,  // 128 registers
                           Product{rows, vectors, launch.grouping});
    });
  }
};

}  // namespace ashlar::impl
