#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/bcsr/layout.hpp>
#include <ashlar/spmv/impl/arguments.hpp>
#include <ashlar/spmv/impl/block_row_per_thread_multi.hpp>
#include <ashlar/spmv/impl/by_block.hpp>
#include <ashlar/spmv/impl/by_column.hpp>
#include <ashlar/spmv/impl/can_load_chunks.hpp>
#include <ashlar/spmv/impl/flat_multi_product.hpp>
#include <ashlar/spmv/impl/flat_product.hpp>
#include <ashlar/spmv/impl/launch_teams.hpp>
#include <ashlar/spmv/impl/row_per_thread_multi.hpp>
#include <type_traits>

namespace ashlar::impl {

/// SpmvKernel for several vectors. The block size is not compiled in: what it saves is little beside the work of a
/// panel of vectors.
template <Kernel K, class Exec, class Value, class Scalar, class Layout, class Ordinal, class Offset>
struct SpmvMultiKernel {
  using Arguments = SpmvArguments<Value, Scalar, Ordinal, Offset>;
  static void run(const Exec& exec, const SpmvLaunch& launch, const Arguments& arguments,
                  const MultiVectors<Scalar>& vectors);

 private:
  template <int Panel, bool Interleaved, class Rows>
  static void run_rows(const Exec& exec, const SpmvLaunch& launch, const Rows& rows,
                       const MultiVectors<Scalar>& vectors);
};

/// Calls function(panel, interleaved), two std::integral_constants: how many vectors are multiplied at a time, and
/// whether x lets itself be loaded by chunks. Eight vectors, or four where that leaves no gap or there are no more.
template <class Scalar, class Function>
void with_panel(const MultiVectors<Scalar>& vectors, const Function& function) {
  const auto with = [&](auto panel) {
    if (vectors.are_interleaved(panel())) return function(panel, std::true_type{});
    function(panel, std::false_type{});
  };
  const int n = vectors.num_vectors;
  if (n <= 4 || (n % 8 != 0 && n % 4 == 0)) return with(std::integral_constant<int, 4>{});
  with(std::integral_constant<int, 8>{});
}

template <Kernel K, class Exec, class Value, class Scalar, class Layout, class Ordinal, class Offset>
void SpmvMultiKernel<K, Exec, Value, Scalar, Layout, Ordinal, Offset>::run(const Exec& exec, const SpmvLaunch& launch,
                                                                           const Arguments& arguments,
                                                                           const MultiVectors<Scalar>& vectors) {
  if (arguments.num_block_rows == 0 || vectors.num_vectors == 0) return;
  with_panel(vectors, [&](auto panel, auto interleaved) {
    if (arguments.block == nullptr) {
      using Rows = BlockRows<Value, Scalar, Layout, Ordinal, Offset, 0, false>;
      run_rows<panel(), interleaved()>(exec, launch, Rows{arguments}, vectors);
    } else {
      using Rows = BlockRows<Value, Scalar, transposed_layout_t<Layout>, Ordinal, Offset, 0, true>;
      run_rows<panel(), interleaved()>(exec, launch, Rows{arguments}, vectors);
    }
  });
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
  if constexpr (K == Kernel::by_block) {
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

/// Hands the product to the kernel of the launch; or to row_per_thread where the arrays do not start where chunks can
/// be loaded.
template <class Exec, class Layout, class Value, class Scalar, class Ordinal, class Offset>
void run_spmv_multi(const Exec& exec, const SpmvLaunch& launch,
                    const SpmvArguments<Value, Scalar, Ordinal, Offset>& arguments,
                    const MultiVectors<Scalar>& vectors) {
  const auto run = [&](auto kernel) {
    SpmvMultiKernel<kernel(), Exec, Value, Scalar, Layout, Ordinal, Offset>::run(exec, launch, arguments, vectors);
  };
  switch (can_load_chunks(launch.kernel, arguments) ? launch.kernel : Kernel::row_per_thread) {
    case Kernel::by_block:
      return run(std::integral_constant<Kernel, Kernel::by_block>{});
    case Kernel::by_column:
      return run(std::integral_constant<Kernel, Kernel::by_column>{});
    case Kernel::row_per_thread:
      return run(std::integral_constant<Kernel, Kernel::row_per_thread>{});
    default:
      return run(std::integral_constant<Kernel, Kernel::block_row_per_thread>{});
  }
}

}  // namespace ashlar::impl
