#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/spmv/impl/launch/kernel_of.hpp>
#include <ashlar/spmv/impl/launch/spmv_launch.hpp>
#include <ashlar/spmv/impl/operands/vectors.hpp>
#include <ashlar/spmv/impl/products/flat_multi_product.hpp>
#include <ashlar/spmv/impl/products/flat_product.hpp>
#include <string>
#include <type_traits>

namespace ashlar::impl {

/// The description of kernels that take a block row's entries as one list, chunk by chunk (FlatProduct), for one vector
/// and for several. Such kernels add
///
///   static int period(const BlockShape&);                   after so many entries a lane is at the same place again
///   static constexpr int usual_width(int block_size);       the width that is compiled in on GPUs, or 0: the best on
///                                                           an H200 for some tens of blocks a row
///   template <class Rows> static constexpr bool is_served;  whether it is compiled for such rows
template <Kernel K, template <class, int> class Walk>
struct FlatKernel : KernelBasics<K> {
  using This = KernelOf<K>;
  static int bytes_of_load(const BlockShape&, int) { return 16; }

  static int widest(const SpmvShape& shape) {
    if (shape.many_vectors) return impl::widest(shape);
    // A lane has a chunk of sums in scratch memory, one partial sum, and what Kokkos keeps for it; the vectors may be
    // of doubles though the plan was not told.
    constexpr int bytes_of_team = 48 * 1024, bytes_of_kokkos_lane = 8, bytes_of_kokkos_team = 16;
    const int bytes_of_lane = (This::entries_at_a_time(shape) + 1) * std::max(shape.value_bytes, 8);
    const int lanes = (bytes_of_team - bytes_of_kokkos_team) / (bytes_of_lane + bytes_of_kokkos_lane);
    return std::min(impl::widest(shape), lanes / 64 * 64);
  }
  static int busy_lanes(const SpmvShape& shape, int width) {
    return impl::busy_lanes(width, This::period(shape.block_shape), This::entries_at_a_time(shape));
  }
  static int choose_width(const SpmvShape& shape, const SpmvDevice& device) {
    LaneHabits habits;
    habits.usual_width = device.is_gpu ? This::usual_width(compiled_size_of(K, shape, true)) : 0;
    return width_by_chunks(K, shape, device, habits);
  }
  static std::string grounds(const SpmvShape& shape, const SpmvDevice&, const SpmvLaunch& launch) {
    return work_of_lanes(K, shape, launch.grouping.width, "chunks");
  }

  template <class Exec, class Rows>
  static void run(const Exec& exec, const SpmvLaunch& launch, const Rows& rows) {
    if constexpr (This::template is_served<Rows>) {
      // The width that most matrices take is compiled in, where a block row is short enough for that to matter.
      constexpr int b = Rows::compiled_block_size;
      constexpr int usual = is_gpu_v<Exec> && !Rows::is_indirect ? This::usual_width(b) : 0;
      if (usual > 0 && launch.grouping.width == usual) return run_width<usual>(exec, launch, rows);
      run_width<0>(exec, launch, rows);
    }
  }

  template <class Exec, class Rows>
  static void run_multi(const Exec& exec, const SpmvLaunch& launch, const Rows& rows,
                        const MultiVectors<typename Rows::scalar_type>& vectors) {
    if constexpr (This::template is_served<Rows>) {
      with_panel<4, usual_panel>(vectors, [&](auto panel, auto interleaved) {
        using Product =
            FlatMultiProduct<Rows, Walk, typename Kokkos::TeamPolicy<Exec>::member_type, panel(), interleaved()>;
        constexpr int max_threads = 512;  // and so 128 registers
        const int width = launch.grouping.width;
        launch_teams<max_threads, 1>(
            exec, launch, num_panels<panel()>(rows, vectors.num_vectors),
            Product::scratch_scalars(width) * sizeof(typename Rows::scalar_type),
            Product{rows, vectors, launch.grouping, busy_lanes_of_walk<Rows, Product::chunk>(rows, width)});
      });
    }
  }

 private:
  template <class Rows, int Chunk>
  static int busy_lanes_of_walk(const Rows& rows, int width) {
    return impl::busy_lanes(width, Walk<Rows, Chunk>::period(rows.rows_of_block(), rows.cols_of_block()), Chunk);
  }

  template <int Width, class Exec, class Rows>
  static void run_width(const Exec& exec, const SpmvLaunch& launch, const Rows& rows) {
    using Product = FlatProduct<Rows, Walk, typename Kokkos::TeamPolicy<Exec>::member_type, Width>;
    constexpr int max_threads = Width > 0 ? 576 : 1024, min_teams = Width > 0 ? 2 : 1;  // 56 and 64 registers
    const int width = launch.grouping.width;
    launch_teams<max_threads, min_teams>(
        exec, launch, rows.a.num_block_rows, Product::scratch_scalars(width) * sizeof(typename Rows::scalar_type),
        Product{rows, launch.grouping, busy_lanes_of_walk<Rows, Product::chunk>(rows, width)});
  }
};

}  // namespace ashlar::impl
