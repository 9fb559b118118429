#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/spmv/impl/launch/kernel_of.hpp>
#include <ashlar/spmv/impl/launch/spmv_launch.hpp>
#include <ashlar/spmv/impl/operands/vectors.hpp>
#include <ashlar/spmv/impl/products/block_parts.hpp>
#include <ashlar/spmv/impl/products/staged_multi_product.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace ashlar::impl {

template <>
struct KernelOf<Kernel::staged> : KernelBasics<Kernel::staged> {
  static constexpr bool has_single = false;
  static constexpr bool has_multi = true;

  static bool serves(const SpmvShape& shape, int width) {
    const int b = shape.block_shape.rows;
    if (!is_compiled(shape.block_shape) || b > largest_staged_block(shape.double_vectors)) return false;
    return width == 0 || width == 32 || width == usual_staged_width(b, vector_bytes_of(shape));
  }
  static std::string why_not(const SpmvShape& shape, int) {
    const int largest = largest_staged_block(shape.double_vectors);
    return text("it takes several vectors, and square blocks of a compiled size up to ", largest, ", with 32 lanes or ",
                usual_staged_width(std::min(shape.block_shape.rows, largest), vector_bytes_of(shape)));
  }
  static int bytes_of_load(const BlockShape& shape, int value_bytes) {
    return values_of_load(shape.rows, value_bytes) * value_bytes;
  }
  /// Its largest blocks are for vectors of doubles, and a plan may have been told of doubles that do not come. Between
  /// two rows of x it counts bytes in 32 bits.
  template <class Exec, class Scalar>
  static bool can_read(const BlockShape& block_shape, const MultiVectors<Scalar>& vectors) {
    if (block_shape.rows > largest_staged_block(std::is_same_v<Scalar, double>)) return false;
    const std::int64_t most = std::numeric_limits<std::uint32_t>::max() / sizeof(Scalar);
    return vectors.x.row_stride >= 0 && vectors.x.row_stride <= most;
  }
  static constexpr int compiled_size_multi(int block_size) { return block_size; }

  static int widest(const SpmvShape&) { return 256; }
  static int entries_at_a_time(const SpmvShape& shape) { return shape.block_shape.rows; }

  /// Lanes with a vector or two each need fewer instructions than the matrix unit, which reads the blocks less often
  /// where there are many vectors that fill no wide panels, and wastes less of larger blocks. Blocks of more than 6
  /// were measured beside the matrix unit alone.
  static bool pays(const SpmvShape& shape, const SpmvDevice& device) {
    const int b = shape.block_shape.rows, k = shape.num_vectors;
    if (b > 6) return device.matrix_unit && shape.vectors_by_rows && (k == 8 || k % 16 == 0);
    if (!device.matrix_unit || !shape.double_vectors || b <= 4) return true;
    return k <= 16 || (shape.vectors_by_rows && k % 16 == 0);
  }

  /// A warp where otherwise most of the device would be idle.
  static int choose_width(const SpmvShape& shape, const SpmvDevice& device) {
    const int usual = usual_staged_width(shape.block_shape.rows, vector_bytes_of(shape));
    return double(shape.num_block_rows) * usual < enough_threads(device) ? 32 : usual;
  }
  static SpmvLaunch launch(const SpmvShape& shape, const SpmvDevice& device, const LaunchRequest& request) {
    SpmvLaunch launch = KernelBasics::launch(shape, device, request);
    launch.staging = choose_staging(shape, device);
    return launch;
  }

  template <class Exec, class Rows>
  static void run_multi(const Exec& exec, const SpmvLaunch& launch, const Rows& rows,
                        const MultiVectors<typename Rows::scalar_type>& vectors) {
    using Scalar = typename Rows::scalar_type;
    // The plan refuses other sizes.
    constexpr int b = Rows::compiled_block_size, largest = largest_staged_block(std::is_same_v<Scalar, double>);
    if constexpr (b > 0 && b <= largest) {
      // On CPUs nobody chooses it, and half of it is enough to be tested: it takes long to compile.
      constexpr int fewest = is_gpu_v<Exec> ? 4 : usual_panel;
      constexpr int most = is_gpu_v<Exec> ? widest_staged_panel(sizeof(Scalar)) : usual_panel;
      with_panel<fewest, most>(vectors, [&](auto panel, auto interleaved) {
        run_panel<panel(), interleaved()>(exec, launch, rows, vectors);
      });
    }
  }

 private:
  template <int Panel, bool Interleaved, class Exec, class Rows>
  static void run_panel(const Exec& exec, const SpmvLaunch& launch, const Rows& rows,
                        const MultiVectors<typename Rows::scalar_type>& vectors) {
    using Scalar = typename Rows::scalar_type;
    using TeamMember = typename Kokkos::TeamPolicy<Exec>::member_type;
    constexpr int b = Rows::compiled_block_size;
    const auto with_width = [&](auto width) {
      using Product = StagedMultiProduct<Rows, TeamMember, Panel, Interleaved, is_gpu_v<Exec> ? width() : 0>;
      Grouping grouping = launch.grouping;
      if constexpr (is_gpu_v<Exec>) grouping = {width(), staged_threads / width(), true};
      const int capacity = launch.staging.blocks(grouping.groups);
      launch_teams<staged_threads, staged_teams(b)>(
          exec, launch.label, grouping, num_panels<Panel>(rows, vectors.num_vectors),
          Product::scratch_bytes(grouping.width, capacity), Product{rows, vectors, grouping, capacity});
    };
    constexpr int usual =
        Panel > usual_panel ? wide_staged_width(b, Panel / Chunk<Scalar>::size) : usual_staged_width(b, sizeof(Scalar));
    // A wide panel has its own number of lanes: only a choice of a whole warp counts.
    if (launch.grouping.width == 32) return with_width(std::integral_constant<int, 32>{});
    with_width(std::integral_constant<int, usual>{});
  }

  /// The scratch memory for the wanted number of teams, and its contents.
  static Staging choose_staging(const SpmvShape& shape, const SpmvDevice& device) {
    constexpr double usual_times_average = 1.25;
    const std::int64_t of_team = device.scratch_bytes / staged_teams(shape.block_shape.rows) - scratch_of_team;
    const double usual = std::min(double(shape.longest_row), std::ceil(usual_times_average * average_row(shape)));
    Staging staging;
    staging.team_bytes = static_cast<int>(std::min<std::int64_t>(of_team, most_staged_bytes));
    staging.block_bytes = static_cast<int>(shape.block_shape.num_values()) * shape.value_bytes + shape.index_bytes;
    staging.usual_row = static_cast<int>(std::min(usual, 1e9));
    return staging;
  }
};

}  // namespace ashlar::impl
