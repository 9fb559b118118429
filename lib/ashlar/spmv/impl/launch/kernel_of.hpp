#pragma once

#include <ashlar/base/text.hpp>
#include <ashlar/spmv/block_sizes.hpp>
#include <ashlar/spmv/impl/choice/launch_widths.hpp>
#include <ashlar/spmv/impl/launch/spmv_launch.hpp>
#include <ashlar/spmv/impl/operands/vectors.hpp>
#include <ashlar/spmv/impl/products/block_row_entries.hpp>
#include <ashlar/spmv/kernel.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace ashlar::impl {

/// The description of a kernel: the shapes it serves, its widths, why it is chosen, how it is launched. Each kernel
/// specialises it in the file of its name in impl/kernels/, with
///
///   static constexpr bool has_single, has_multi;         whether it multiplies one vector; whether several
///   static void run(exec, launch, rows);                 where has_single: launches it for one vector
///   static void run_multi(exec, launch, rows, vectors);  where has_multi
///
/// and what differs from KernelBasics, of which it is made. `exec`, `rows` (BlockRows) and `vectors` (MultiVectors) are
/// of types that the kernel is compiled for; how to add one is in docs/how_to/add_a_kernel.md.
template <Kernel K>
struct KernelOf;

/// What most kernels say. A shape that they are asked about is within their limits (most_block_rows and the like), and
/// of as many vectors as they take.
template <Kernel K>
struct KernelBasics {
  using This = KernelOf<K>;
  static constexpr Kernel kernel = K;
  static constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();

  /// True if it is made for CPUs, which run the other kernels only on request by name.
  static constexpr bool for_cpus = false;
  /// True if a group of lanes shares a block row; else a thread takes it.
  static constexpr bool has_lanes = true;
  /// The kernel's limits.
  static constexpr std::int64_t most_block_rows = std::numeric_limits<std::int32_t>::max();
  static constexpr std::int64_t most_entries_of_x = std::numeric_limits<std::uint32_t>::max();

  // The shapes it serves.

  /// The kernel that stands in for it where it is asked for, but another is the one for such a shape.
  static Kernel in_place(const SpmvShape&) { return K; }
  /// True if it can take the shape with groups of `width` lanes; 0: of some width.
  static bool serves(const SpmvShape& shape, int width) {
    return This::busy_lanes(shape, width > 0 ? width : This::widest(shape)) > 0;
  }
  /// Why it does not serve the shape.
  static std::string why_not(const SpmvShape& shape, int width) {
    if (width <= This::widest(shape)) {
      return text("it needs a lane for each entry that a load can start with, and there are ", width);
    }
    return text("there are registers and scratch memory for the sums of ", This::widest(shape), " lanes, and ", width,
                " were asked for");
  }
  /// True if this device runs it.
  static bool runs_on(const SpmvDevice&) { return true; }
  /// Bytes of values that it loads at a time, beginning at multiples of that.
  static int bytes_of_load(const BlockShape&, int value_bytes) { return value_bytes; }
  /// True if it can read these vectors. It serves the shape as far as the plan was told.
  template <class Exec, class Scalar>
  static bool can_read(const BlockShape&, const MultiVectors<Scalar>&) {
    return true;
  }

  // The instances that are compiled.

  /// The size of square blocks that is compiled in for one vector for blocks of `block_size`, one of
  /// CompiledBlockSizes: that size, or runtime_block_size if it gains nothing, since another kernel is chosen.
  /// by_columns: how the kernel sees the stored blocks; for A^T it is the opposite of the storage.
  static constexpr int compiled_size(int /*block_size*/, int /*value_bytes*/, bool /*by_columns*/, bool /*is_gpu*/) {
    return runtime_block_size;
  }
  /// The same for several vectors: its savings are mostly little beside the work of a panel of them.
  static constexpr int compiled_size_multi(int /*block_size*/) { return runtime_block_size; }

  // How its lanes work.

  static int widest(const SpmvShape& shape) { return impl::widest(shape); }
  static int entries_at_a_time(const SpmvShape& shape) {
    return entries_of_chunk(shape.value_bytes, compiled_size_of(K, shape, true), shape.in_order);
  }
  /// Of `width`, those that have work; 0 where they are too few.
  static int busy_lanes(const SpmvShape&, int width) { return width; }

  // Why it is chosen, and how it is launched.

  /// True if it is the choice for a shape that it serves, if no kernel before it in the list is chosen.
  static bool pays(const SpmvShape&, const SpmvDevice&) { return true; }
  static int choose_width(const SpmvShape& shape, const SpmvDevice& device) {
    return width_by_chunks(K, shape, device, {});
  }
  /// The launch; its kernel, compiled size and label are set by others.
  static SpmvLaunch launch(const SpmvShape& shape, const SpmvDevice& device, const LaunchRequest& request) {
    return grouped_launch(K, shape, device, request.width > 0 ? request.width : This::choose_width(shape, device));
  }
  /// The launches that are worth measuring beside what the cost model would have, on a GPU.
  static std::vector<LaunchRequest> candidates(const SpmvShape& shape, const SpmvDevice& device,
                                               const SpmvLaunch& model) {
    return requests_by_width(K, shape, device, model.grouping.width, 4);
  }
  /// The same on a CPU, where one thread plays all lanes: how many they are changes little.
  static std::vector<LaunchRequest> candidates_on_cpu(const SpmvShape&) { return {{K}}; }

  // Texts for people.

  /// How a launch distributes block rows: ", 16 lanes a block row, 8 block rows a team".
  static std::string describe(const SpmvLaunch& launch) {
    return text(", ", launch.grouping.width, " lanes a block row, ", launch.grouping.groups, " block rows a team");
  }
  /// The grounds of the cost model: ", 16.2 chunks for each of 15 busy lanes".
  static std::string grounds(const SpmvShape&, const SpmvDevice& device, const SpmvLaunch&) {
    return device.is_gpu ? "" : ", on a CPU";
  }
};

}  // namespace ashlar::impl
