#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/bcsr/layout.hpp>
#include <ashlar/spmv/block_sizes.hpp>
#include <ashlar/spmv/impl/arguments.hpp>
#include <ashlar/spmv/impl/block_row_per_thread.hpp>
#include <ashlar/spmv/impl/by_block.hpp>
#include <ashlar/spmv/impl/by_column.hpp>
#include <ashlar/spmv/impl/row_per_thread.hpp>
#include <ashlar/spmv/kernel.hpp>
#include <string>

namespace ashlar::impl {

/// What a plan decides: which kernel, and how its threads are grouped.
struct SpmvLaunch {
  Kernel kernel = Kernel::automatic;
  int width = 1;      // lanes that share a block row
  int team_size = 1;  // groups in a thread block; 1 on CPUs
  std::string label;  // of the launch
};

/// A team kernel over all block rows: team_size groups of `width` lanes, with scratch_bytes for each group.
template <class Exec, class Functor>
void launch_teams(const Exec& exec, const SpmvLaunch& launch, std::int64_t num_block_rows, std::size_t scratch_bytes,
                  const Functor& functor) {
  const int teams = static_cast<int>((num_block_rows + launch.team_size - 1) / launch.team_size);
  // On a CPU one thread plays all lanes.
  Kokkos::TeamPolicy<Exec> policy(exec, teams, launch.team_size, is_gpu_v<Exec> ? launch.width : 1);
  policy.set_scratch_size(0, Kokkos::PerThread(scratch_bytes));
  Kokkos::parallel_for(launch.label, policy, functor);
}

/// Runs one kernel, for the layout and index types named. One specialisation a kernel, so that each is instantiated
/// in a file of its own.
///
/// The members are defined outside the class: inside they would be inline, and a compiler instantiates inline
/// functions in spite of an `extern template`.
template <Kernel K, class Exec, class Scalar, class Layout, class Ordinal, class Offset>
struct SpmvKernel {
  using Arguments = SpmvArguments<Scalar, Ordinal, Offset>;
  static void run(const Exec& exec, const SpmvLaunch& launch, const Arguments& arguments);

 private:
  template <class Rows>
  static void run_rows(const Exec& exec, const SpmvLaunch& launch, const Rows& rows);
};

template <Kernel K, class Exec, class Scalar, class Layout, class Ordinal, class Offset>
void SpmvKernel<K, Exec, Scalar, Layout, Ordinal, Offset>::run(const Exec& exec, const SpmvLaunch& launch,
                                                               const Arguments& arguments) {
  if (arguments.num_block_rows == 0) return;
  with_block_size(arguments.block_size, [&](auto block_size) {
    constexpr int b = decltype(block_size)::value;
    if (arguments.block == nullptr) {
      run_rows(exec, launch, BlockRows<Scalar, Layout, Ordinal, Offset, b, false>{arguments});
    } else {
      run_rows(exec, launch, BlockRows<Scalar, transposed_layout_t<Layout>, Ordinal, Offset, b, true>{arguments});
    }
  });
}

template <Kernel K, class Exec, class Scalar, class Layout, class Ordinal, class Offset>
template <class Rows>
void SpmvKernel<K, Exec, Scalar, Layout, Ordinal, Offset>::run_rows(const Exec& exec, const SpmvLaunch& launch,
                                                                    const Rows& rows) {
  using TeamMember = typename Kokkos::TeamPolicy<Exec>::member_type;
  constexpr int b = Rows::compiled_block_size;
  const std::int64_t n = rows.a.num_block_rows;
  const std::size_t lane_bytes = Kokkos::View<Scalar*, typename Exec::scratch_memory_space>::shmem_size(launch.width);
  if constexpr (K == Kernel::by_block) {
    // Beyond this the plan refuses: b^2 lanes are more than any wavefront has.
    if constexpr (b * b <= 64) launch_teams(exec, launch, n, lane_bytes, ByBlock<Rows, TeamMember>{rows, launch.width});
  } else if constexpr (K == Kernel::by_column) {
    launch_teams(exec, launch, n, lane_bytes, ByColumn<Rows, TeamMember>{rows, launch.width});
  } else if constexpr (K == Kernel::row_per_thread) {
    launch_teams(exec, launch, n, 0, RowPerThread<Rows, TeamMember>{rows});
  } else {
    Kokkos::parallel_for(launch.label, Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, n),
                         BlockRowPerThread<Rows>{rows});
  }
}

/// Hands the product to the kernel of the plan.
template <class Exec, class Scalar, class Layout, class Ordinal, class Offset>
void run_spmv(const Exec& exec, const SpmvLaunch& launch, const SpmvArguments<Scalar, Ordinal, Offset>& arguments) {
  switch (launch.kernel) {
    case Kernel::by_block:
      return SpmvKernel<Kernel::by_block, Exec, Scalar, Layout, Ordinal, Offset>::run(exec, launch, arguments);
    case Kernel::by_column:
      return SpmvKernel<Kernel::by_column, Exec, Scalar, Layout, Ordinal, Offset>::run(exec, launch, arguments);
    case Kernel::row_per_thread:
      return SpmvKernel<Kernel::row_per_thread, Exec, Scalar, Layout, Ordinal, Offset>::run(exec, launch, arguments);
    case Kernel::block_row_per_thread:
    case Kernel::automatic:
      return SpmvKernel<Kernel::block_row_per_thread, Exec, Scalar, Layout, Ordinal, Offset>::run(exec, launch,
                                                                                                  arguments);
  }
}

}  // namespace ashlar::impl
