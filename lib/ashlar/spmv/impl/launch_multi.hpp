#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/bcsr/layout.hpp>
#include <ashlar/spmv/impl/arguments.hpp>
#include <ashlar/spmv/impl/block_row_per_thread_multi.hpp>
#include <ashlar/spmv/impl/block_row_ranges.hpp>
#include <ashlar/spmv/impl/by_block.hpp>
#include <ashlar/spmv/impl/by_column.hpp>
#include <ashlar/spmv/impl/can_load_chunks.hpp>
#include <ashlar/spmv/impl/flat_multi_product.hpp>
#include <ashlar/spmv/impl/flat_product.hpp>
#include <ashlar/spmv/impl/launch_teams.hpp>
#include <ashlar/spmv/impl/matrix_unit.hpp>
#include <ashlar/spmv/impl/row_per_thread_multi.hpp>
#include <ashlar/spmv/impl/staged_multi_product.hpp>
#include <ashlar/spmv/impl/tensor_core_product.hpp>
#include <limits>
#include <type_traits>

namespace ashlar::impl {

/// SpmvKernel for several vectors. The block size is compiled in for by_line only: elsewhere what it saves is little
/// beside the work of a panel of vectors.
template <Kernel K, class Exec, class Value, class Scalar, class Layout, class Ordinal, class Offset>
struct SpmvMultiKernel {
  using Arguments = SpmvArguments<Value, Scalar, Ordinal, Offset>;
  static void run(const Exec& exec, const SpmvLaunch& launch, const Arguments& arguments,
                  const MultiVectors<Scalar>& vectors);

 private:
  template <class Rows>
  static void run_tensor_core(const Exec& exec, const SpmvLaunch& launch, const Rows& rows,
                              const MultiVectors<Scalar>& vectors);
  template <int Panel, bool Interleaved, class Rows>
  static void run_staged(const Exec& exec, const SpmvLaunch& launch, const Rows& rows,
                         const MultiVectors<Scalar>& vectors);
  template <int Panel, bool Interleaved, class Rows>
  static void run_rows(const Exec& exec, const SpmvLaunch& launch, const Rows& rows,
                       const MultiVectors<Scalar>& vectors);
};

/// Calls function(panel, interleaved), two std::integral_constants: how many vectors are multiplied at a time, and
/// whether x lets itself be loaded by chunks. Eight vectors, or four where that leaves no gap or there are no more, or
/// more where they can be loaded by chunks and leave none; none fewer than Fewest or more than Most.
template <int Fewest, int Most, class Scalar, class Function>
void with_panel(const MultiVectors<Scalar>& vectors, const Function& function) {
  if constexpr (Most > usual_panel) {
    if (vectors.are_interleaved(Most)) return function(std::integral_constant<int, Most>{}, std::true_type{});
    with_panel<Fewest, Most / 2>(vectors, function);
  } else {
    const auto with = [&](auto panel) {
      if (vectors.are_interleaved(panel())) return function(panel, std::true_type{});
      function(panel, std::false_type{});
    };
    const int n = vectors.num_vectors;
    if constexpr (Fewest <= 4) {
      if (n <= 4 || (n % usual_panel != 0 && n % 4 == 0)) return with(std::integral_constant<int, 4>{});
    }
    with(std::integral_constant<int, usual_panel>{});
  }
}

template <Kernel K, class Exec, class Value, class Scalar, class Layout, class Ordinal, class Offset>
void SpmvMultiKernel<K, Exec, Value, Scalar, Layout, Ordinal, Offset>::run(const Exec& exec, const SpmvLaunch& launch,
                                                                           const Arguments& arguments,
                                                                           const MultiVectors<Scalar>& vectors) {
  if (arguments.num_block_rows == 0 || vectors.num_vectors == 0) return;
  const auto with_rows = [&](const auto& rows) {
    if constexpr (K == Kernel::tensor_core) {
      // Without a matrix unit the plan refuses it.
      if constexpr (uses_matrix_unit_v<Exec, Scalar>) run_tensor_core(exec, launch, rows, vectors);
    } else if constexpr (K == Kernel::block_row_per_thread && !is_gpu_v<Exec>) {
      using Rows = std::decay_t<decltype(rows)>;
      const BlockRowRanges<Rows, SomeVectors<Rows>> product{rows, launch.first_row, {vectors}};
      Kokkos::parallel_for(
          launch.label, Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, product.count()), product);
    } else {
      // On CPUs nobody chooses by_line, and half of it is enough to be tested: it takes long to compile.
      constexpr bool is_line = K == Kernel::by_line;
      constexpr int fewest = is_line && !is_gpu_v<Exec> ? usual_panel : 4;
      constexpr int most = is_line && is_gpu_v<Exec> ? widest_staged_panel(sizeof(Scalar)) : usual_panel;
      with_panel<fewest, most>(vectors, [&](auto panel, auto interleaved) {
        run_rows<panel(), interleaved()>(exec, launch, rows, vectors);
      });
    }
  };
  const auto with_size = [&](auto block_size) {
    constexpr int b = decltype(block_size)::value;
    if (arguments.block == nullptr) {
      with_rows(BlockRows<Value, Scalar, Layout, Ordinal, Offset, b, false>{arguments});
    } else {
      with_rows(BlockRows<Value, Scalar, transposed_layout_t<Layout>, Ordinal, Offset, b, true>{arguments});
    }
  };
  if constexpr (K == Kernel::by_line) {
    with_block_size(arguments.block_shape, with_size);
  } else {
    with_size(std::integral_constant<int, runtime_block_size>{});
  }
}

template <Kernel K, class Exec, class Value, class Scalar, class Layout, class Ordinal, class Offset>
template <int Panel, bool Interleaved, class Rows>
void SpmvMultiKernel<K, Exec, Value, Scalar, Layout, Ordinal, Offset>::run_staged(const Exec& exec,
                                                                                  const SpmvLaunch& launch,
                                                                                  const Rows& rows,
                                                                                  const MultiVectors<Scalar>& vectors) {
  using TeamMember = typename Kokkos::TeamPolicy<Exec>::member_type;
  constexpr int b = Rows::compiled_block_size;
  const auto with_width = [&](auto width) {
    using Product = StagedMultiProduct<Rows, TeamMember, Panel, Interleaved, is_gpu_v<Exec> ? width() : 0>;
    Grouping grouping = launch.grouping;
    if constexpr (is_gpu_v<Exec>) grouping = {width(), staged_threads / width(), true};
    const int capacity = launch.staging.blocks(grouping.groups);
    launch_teams<staged_threads, staged_teams(b)>(
        exec, launch.label, grouping, rows.a.num_block_rows * ((vectors.num_vectors + Panel - 1) / Panel),
        Product::scratch_bytes(grouping.width, capacity), Product{rows, vectors, grouping, capacity});
  };
  constexpr int usual =
      Panel > usual_panel ? wide_staged_width(b, Panel / Chunk<Scalar>::size) : usual_staged_width(b, sizeof(Scalar));
  // A wide panel has lanes of its own number: of what the plan chose only a whole warp counts.
  if (launch.grouping.width == 32) return with_width(std::integral_constant<int, 32>{});
  with_width(std::integral_constant<int, usual>{});
}

template <Kernel K, class Exec, class Value, class Scalar, class Layout, class Ordinal, class Offset>
template <int Panel, bool Interleaved, class Rows>
void SpmvMultiKernel<K, Exec, Value, Scalar, Layout, Ordinal, Offset>::run_rows(const Exec& exec,
                                                                                const SpmvLaunch& launch,
                                                                                const Rows& rows,
                                                                                const MultiVectors<Scalar>& vectors) {
  using TeamMember = typename Kokkos::TeamPolicy<Exec>::member_type;
  const std::int64_t num_block_rows = rows.a.num_block_rows;
  const std::int64_t panels = num_block_rows * ((vectors.num_vectors + Panel - 1) / Panel);
  constexpr int max_threads = 512;  // and so 128 registers
  const auto run_flat = [&]<template <class, int> class Walk>() {
    using Product = FlatMultiProduct<Rows, Walk, TeamMember, Panel, Interleaved>;
    const int width = launch.grouping.width;
    const int period = Walk<Rows, Product::chunk>::period(rows.rows_of_block(), rows.cols_of_block());
    launch_teams<max_threads, 1>(exec, launch, panels, Product::scratch_scalars(width) * sizeof(Scalar),
                                 Product{rows, vectors, launch.grouping, busy_lanes(width, period, Product::chunk)});
  };
  if constexpr (K == Kernel::by_line) {
    // Of other sizes the plan refuses it.
    constexpr int b = Rows::compiled_block_size, largest = largest_staged_block(std::is_same_v<Scalar, double>);
    if constexpr (b > 0 && b <= largest) run_staged<Panel, Interleaved>(exec, launch, rows, vectors);
  } else if constexpr (K == Kernel::by_block) {
    run_flat.template operator()<ByBlock>();
  } else if constexpr (K == Kernel::by_column) {
    // Of blocks stored by rows the plan refuses it.
    if constexpr (std::is_same_v<typename Rows::layout_type, BlockColumnMajor>)
      run_flat.template operator()<ByColumn>();
  } else if constexpr (K == Kernel::row_per_thread) {
    launch_teams<max_threads, 1>(exec, launch, panels, 0,
                                 RowPerThreadMulti<Rows, TeamMember, Panel>{rows, vectors, launch.grouping});
  } else {
    Kokkos::parallel_for(launch.label,
                         Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, num_block_rows),
                         BlockRowPerThreadMulti<Rows, Panel, Interleaved>{rows, vectors});
  }
}

template <Kernel K, class Exec, class Value, class Scalar, class Layout, class Ordinal, class Offset>
template <class Rows>
void SpmvMultiKernel<K, Exec, Value, Scalar, Layout, Ordinal, Offset>::run_tensor_core(
    const Exec& exec, const SpmvLaunch& launch, const Rows& rows, const MultiVectors<Scalar>& vectors) {
  using TeamMember = typename Kokkos::TeamPolicy<Exec>::member_type;
  // Warps take the panels of a block row beside each other. Where vectors lie apart, a cache would have to hold all of
  // them for that: then one panel comes after the other.
  constexpr int widest = 32;
  if (!vectors.are_by_rows() && vectors.num_vectors > widest) {
    for (int first = 0; first < vectors.num_vectors; first += widest) {
      run_tensor_core(exec, launch, rows, vectors.from(first, widest));
    }
    return;
  }
  const auto with = [&](auto row_tiles, auto vector_tiles) {
    using Product = TensorCoreProduct<Rows, TeamMember, row_tiles(), vector_tiles()>;
    const int row_groups = (rows.rows_of_block() - 1) / (row_tiles() * Product::tile) + 1;
    const int vector_groups = (vectors.num_vectors - 1) / Product::vectors_of_group + 1;
    Grouping grouping = launch.grouping;
    if (grouping.in_warp) grouping.groups = Product::threads_of_team / grouping.width;
    launch_teams<Product::threads_of_team, Product::teams>(
        exec, launch.label, grouping, rows.a.num_block_rows * row_groups * vector_groups,
        Product::scratch_scalars(grouping.width) * sizeof(Scalar),
        Product{rows,
                vectors,
                grouping,
                row_groups,
                {Product::depth / rows.cols_of_block(), Product::depth % rows.cols_of_block()}});
  };
  const auto with_row_tiles = [&](auto row_tiles) {
    if (vectors.num_vectors <= 8) return with(row_tiles, std::integral_constant<int, 1>{});
    if (vectors.num_vectors <= 16) return with(row_tiles, std::integral_constant<int, 2>{});
    with(row_tiles, std::integral_constant<int, 4>{});
  };
  if (rows.rows_of_block() <= 8) return with_row_tiles(std::integral_constant<int, 1>{});
  if (rows.rows_of_block() <= 16) return with_row_tiles(std::integral_constant<int, 2>{});
  with_row_tiles(std::integral_constant<int, 4>{});
}

/// Whether `kernel` can read x: the matrix unit's takes doubles, as by_line's of its largest blocks, and both count
/// what lies between two rows in 32 bits, the one in entries, the other in bytes.
template <class Exec, class Scalar>
bool can_read(Kernel kernel, const BlockShape& block_shape, const MultiVectors<Scalar>& vectors) {
  constexpr int largest = largest_staged_block(std::is_same_v<Scalar, double>);
  if (kernel == Kernel::tensor_core && !uses_matrix_unit_v<Exec, Scalar>) return false;
  if (kernel == Kernel::by_line && block_shape.rows > largest) return false;
  if (kernel != Kernel::tensor_core && kernel != Kernel::by_line) return true;
  const std::int64_t most =
      std::numeric_limits<std::uint32_t>::max() / (kernel == Kernel::by_line ? sizeof(Scalar) : 1);
  return vectors.x.row_stride >= 0 && vectors.x.row_stride <= most;
}

/// Hands the product to the kernel of the launch; or to row_per_thread where the arrays do not start where chunks can
/// be loaded, or x is nothing for the kernel.
template <class Exec, class Layout, class Value, class Scalar, class Ordinal, class Offset>
void run_spmv_multi(const Exec& exec, const SpmvLaunch& launch,
                    const SpmvArguments<Value, Scalar, Ordinal, Offset>& arguments,
                    const MultiVectors<Scalar>& vectors) {
  const auto run = [&](auto kernel) {
    SpmvMultiKernel<kernel(), Exec, Value, Scalar, Layout, Ordinal, Offset>::run(exec, launch, arguments, vectors);
  };
  switch (can_load_chunks(launch.kernel, arguments) && can_read<Exec>(launch.kernel, arguments.block_shape, vectors)
              ? launch.kernel
              : Kernel::row_per_thread) {
    case Kernel::by_block:
      return run(std::integral_constant<Kernel, Kernel::by_block>{});
    case Kernel::by_column:
      return run(std::integral_constant<Kernel, Kernel::by_column>{});
    case Kernel::by_line:
      return run(std::integral_constant<Kernel, Kernel::by_line>{});
    case Kernel::tensor_core:
      return run(std::integral_constant<Kernel, Kernel::tensor_core>{});
    case Kernel::row_per_thread:
      return run(std::integral_constant<Kernel, Kernel::row_per_thread>{});
    default:
      return run(std::integral_constant<Kernel, Kernel::block_row_per_thread>{});
  }
}

}  // namespace ashlar::impl
