#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <ashlar/bcsr/layout.hpp>
#include <ashlar/spmv/block_sizes.hpp>
#include <ashlar/spmv/impl/arguments.hpp>
#include <ashlar/spmv/impl/block_row_per_thread.hpp>
#include <ashlar/spmv/impl/block_row_ranges.hpp>
#include <ashlar/spmv/impl/by_block.hpp>
#include <ashlar/spmv/impl/by_block_rows.hpp>
#include <ashlar/spmv/impl/by_column.hpp>
#include <ashlar/spmv/impl/by_line.hpp>
#include <ashlar/spmv/impl/by_tile.hpp>
#include <ashlar/spmv/impl/can_load_chunks.hpp>
#include <ashlar/spmv/impl/compiled_size.hpp>
#include <ashlar/spmv/impl/flat_product.hpp>
#include <ashlar/spmv/impl/launch_teams.hpp>
#include <ashlar/spmv/impl/row_per_thread.hpp>
#include <ashlar/spmv/impl/spmv_launch.hpp>
#include <type_traits>

namespace ashlar::impl {

/// Runs one kernel, for the types named. One specialisation a kernel, so that each is instantiated in a file of its
/// own.
///
/// The members are defined outside the class: inside they would be inline, and a compiler instantiates inline
/// functions in spite of an `extern template`.
template <Kernel K, class Exec, class Value, class Scalar, class Layout, class Ordinal, class Offset>
struct SpmvKernel {
  using Arguments = SpmvArguments<Value, Scalar, Ordinal, Offset>;
  static void run(const Exec& exec, const SpmvLaunch& launch, const Arguments& arguments);

 private:
  template <class Rows>
  static void run_rows(const Exec& exec, const SpmvLaunch& launch, const Rows& rows);
  template <int Width, class Rows, template <class, int> class Walk>
  static void run_flat(const Exec& exec, const SpmvLaunch& launch, const Rows& rows);
  template <int Width, class Rows>
  static void run_lines(const Exec& exec, const SpmvLaunch& launch, const Rows& rows);
};

template <Kernel K, class Exec, class Value, class Scalar, class Layout, class Ordinal, class Offset>
void SpmvKernel<K, Exec, Value, Scalar, Layout, Ordinal, Offset>::run(const Exec& exec, const SpmvLaunch& launch,
                                                                      const Arguments& arguments) {
  if (arguments.num_block_rows == 0) return;
  with_block_size(arguments.block_shape, [&](auto block_size) {
    constexpr bool by_columns = std::is_same_v<Layout, BlockColumnMajor>;
    constexpr int b = compiled_size(K, block_size(), sizeof(Value), by_columns, is_gpu_v<Exec>);
    constexpr int b_of_transposed = compiled_size(K, block_size(), sizeof(Value), !by_columns, is_gpu_v<Exec>);
    if (arguments.block == nullptr) {
      run_rows(exec, launch, BlockRows<Value, Scalar, Layout, Ordinal, Offset, b, false>{arguments});
    } else {
      run_rows(
          exec, launch,
          BlockRows<Value, Scalar, transposed_layout_t<Layout>, Ordinal, Offset, b_of_transposed, true>{arguments});
    }
  });
}

template <Kernel K, class Exec, class Value, class Scalar, class Layout, class Ordinal, class Offset>
template <int Width, class Rows, template <class, int> class Walk>
void SpmvKernel<K, Exec, Value, Scalar, Layout, Ordinal, Offset>::run_flat(const Exec& exec, const SpmvLaunch& launch,
                                                                           const Rows& rows) {
  using Product = FlatProduct<Rows, Walk, typename Kokkos::TeamPolicy<Exec>::member_type, Width>;
  constexpr int max_threads = Width > 0 ? 576 : 1024, min_teams = Width > 0 ? 2 : 1;  // 56 and 64 registers
  const int width = launch.grouping.width;
  const int busy =
      busy_lanes(width, Walk<Rows, Product::chunk>::period(rows.rows_of_block(), rows.cols_of_block()), Product::chunk);
  launch_teams<max_threads, min_teams>(exec, launch, rows.a.num_block_rows,
                                       Product::scratch_scalars(width) * sizeof(Scalar),
                                       Product{rows, launch.grouping, busy});
}

template <Kernel K, class Exec, class Value, class Scalar, class Layout, class Ordinal, class Offset>
template <int Width, class Rows>
void SpmvKernel<K, Exec, Value, Scalar, Layout, Ordinal, Offset>::run_lines(const Exec& exec, const SpmvLaunch& launch,
                                                                            const Rows& rows) {
  using Product = ByLine<Rows, typename Kokkos::TeamPolicy<Exec>::member_type, Width>;
  launch_teams<1024, 1>(exec, launch, rows.a.num_block_rows,  // 64 registers
                        Product::scratch_scalars(launch.grouping.width) * sizeof(Scalar),
                        Product{rows, launch.grouping});
}

template <Kernel K, class Exec, class Value, class Scalar, class Layout, class Ordinal, class Offset>
template <class Rows>
void SpmvKernel<K, Exec, Value, Scalar, Layout, Ordinal, Offset>::run_rows(const Exec& exec, const SpmvLaunch& launch,
                                                                           const Rows& rows) {
  using TeamMember = typename Kokkos::TeamPolicy<Exec>::member_type;
  constexpr int b = Rows::compiled_block_size;
  constexpr bool by_columns = std::is_same_v<typename Rows::layout_type, BlockColumnMajor>;
  const std::int64_t n = rows.a.num_block_rows;
  // The width that most matrices take is compiled in, where a block row is short enough for that to matter.
  [[maybe_unused]] constexpr int usual = is_gpu_v<Exec> && !Rows::is_indirect ? usual_width(K, b) : 0;
  if constexpr (K == Kernel::by_block) {
    if constexpr (!by_columns && block_parts(b, sizeof(Value)).is_served()) {
      using Product = ByBlockRows<Rows, TeamMember>;
      launch_teams<widest_by_block_rows, 3>(exec, launch, n,  // 80 registers
                                            Product::scratch_scalars(launch.grouping.width) * sizeof(Scalar),
                                            Product{rows, launch.grouping});
    } else {
      if (usual > 0 && launch.grouping.width == usual) return run_flat<usual, Rows, ByBlock>(exec, launch, rows);
      run_flat<0, Rows, ByBlock>(exec, launch, rows);
    }
  } else if constexpr (K == Kernel::by_column) {
    // Of blocks stored by rows the plan refuses it.
    if constexpr (by_columns) {
      if (usual > 0 && launch.grouping.width == usual) return run_flat<usual, Rows, ByColumn>(exec, launch, rows);
      run_flat<0, Rows, ByColumn>(exec, launch, rows);
    }
  } else if constexpr (K == Kernel::by_line) {
    constexpr LineParts line = line_parts(b, sizeof(Value), sizeof(Scalar), by_columns);
    if constexpr (line.is_served()) {
      constexpr int usual = is_gpu_v<Exec> ? usual_line_width(line, b) : 0;
      if (usual > 0 && launch.grouping.width == usual) return run_lines<usual>(exec, launch, rows);
      run_lines<0>(exec, launch, rows);
    }
  } else if constexpr (K == Kernel::by_tile) {
    if constexpr (b == 1 || b == 2) {
      using Product = ByTile<Rows, TeamMember>;
      TileShape tile = launch.tile;
      // The plan may not have been told that vectors are of doubles.
      tile.capacity = std::min(tile.capacity, most_held_by_tile(sizeof(Scalar)) / b);
      launch_teams<lanes_of_tile, 8>(exec, launch, (n + tile.rows - 1) / tile.rows, Product::scratch_bytes(tile),
                                     Product{rows, tile});
    }
  } else if constexpr (K == Kernel::row_per_thread) {
    launch_teams<1024, 1>(exec, launch, n, 0, RowPerThread<Rows, TeamMember>{rows, launch.grouping});
  } else if constexpr (is_gpu_v<Exec>) {
    Kokkos::parallel_for(launch.label, Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, n),
                         BlockRowPerThread<Rows>{rows});
  } else {
    with_block_row_ranges(rows, launch, [&](const auto& product) {
      Kokkos::parallel_for(
          launch.label, Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, product.count()), product);
    });
  }
}

/// Hands the product to the kernel of the plan; or to row_per_thread, which takes the entries one by one, where the
/// values do not start where the kernel can load them (those of Kokkos do).
template <class Exec, class Layout, class Value, class Scalar, class Ordinal, class Offset>
void run_spmv(const Exec& exec, const SpmvLaunch& launch,
              const SpmvArguments<Value, Scalar, Ordinal, Offset>& arguments) {
  const auto run = [&](auto kernel) {
    SpmvKernel<kernel(), Exec, Value, Scalar, Layout, Ordinal, Offset>::run(exec, launch, arguments);
  };
  switch (can_load_chunks(launch.kernel, arguments) ? launch.kernel : Kernel::row_per_thread) {
    case Kernel::by_block:
      return run(std::integral_constant<Kernel, Kernel::by_block>{});
    case Kernel::by_column:
      return run(std::integral_constant<Kernel, Kernel::by_column>{});
    case Kernel::by_line:
      return run(std::integral_constant<Kernel, Kernel::by_line>{});
    case Kernel::by_tile:
      return run(std::integral_constant<Kernel, Kernel::by_tile>{});
    case Kernel::row_per_thread:
      return run(std::integral_constant<Kernel, Kernel::row_per_thread>{});
    case Kernel::block_row_per_thread:
    case Kernel::tensor_core:  // for several vectors only
    case Kernel::automatic:
      return run(std::integral_constant<Kernel, Kernel::block_row_per_thread>{});
  }
}

}  // namespace ashlar::impl
