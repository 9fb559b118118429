#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/bcsr/block.hpp>
#include <ashlar/device/loads/cache_hint.hpp>
#include <ashlar/spmv/impl/launch/spmv_launch.hpp>
#include <ashlar/spmv/kernel.hpp>
#include <ashlar/spmv/tuning_table.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ashlar::impl {

/// How much of the values the device's last cache is to keep until the next product: what leaves room for the vectors
/// and the indices, and for what else a solver has (measured on an H200).
CacheHint choose_cache_hint(const SpmvShape& shape, const SpmvDevice& device);

/// True if `kernel` can take the shape with groups of `width` lanes; 0: of some width.
bool serves(Kernel kernel, const SpmvShape& shape, int width);

/// The requested launch; the cost model fills in the rest. Throws   BlockSizeError, ArgumentError, ShapeError.
SpmvLaunch choose_launch(const SpmvShape& shape, const SpmvDevice& device, const LaunchRequest& request);

/// The same for products with several vectors: `kernel` and `width` as far as they serve those, else the best known.
SpmvLaunch choose_multi_launch(SpmvShape shape, const SpmvDevice& device, Kernel kernel, int width);

/// Blocks of a segment, where long block rows are cut into segments of their own.
std::int64_t blocks_of_segment(const BlockShape& block_shape);

/// How the segments of long block rows are multiplied: by the kernel of `launch`.
SpmvLaunch choose_segment_launch(const SpmvShape& shape, std::int64_t num_segments, const SpmvDevice& device,
                                 const SpmvLaunch& launch, bool many_vectors = false);

/// A launch, who chose it, and the grounds, for people.
struct Decision {
  SpmvLaunch launch;
  ChosenBy chosen_by = ChosenBy::cost_model;
  std::string grounds;
};

/// The launch of a plan: as asked for; or, where nothing is asked for, as measured; or as the cost model has it.
///
/// A measured launch is ignored, and the grounds say so, if its kernel cannot take this shape: the matrices of a class
/// differ.
///
/// Throws   as choose_launch; ArgumentError where what was measured has a width that this device does not.
Decision decide(const SpmvShape& shape, const SpmvDevice& device, const LaunchRequest& request,
                const std::optional<TuningChoice>& measured);

/// The launches that are worth measuring, as requests; the first is the cost model's choice.
std::vector<LaunchRequest> launch_candidates(const SpmvShape& shape, const SpmvDevice& device);

/// The launch of row_per_thread instead of a kernel that cannot load its operands: with a width that suits the blocks,
/// for the same block rows, and labelled as row_per_thread. `warp` lanes are the widest group.
SpmvLaunch fallback_launch(const SpmvLaunch& launch, const BlockShape& block_shape, bool is_gpu, int warp);

template <execution_space Exec>
SpmvLaunch fallback_launch(const Exec&, const SpmvLaunch& launch, const BlockShape& block_shape) {
  constexpr int lanes_of_cpu = 32;
  int warp = lanes_of_cpu;
  if constexpr (is_gpu_v<Exec>) warp = Kokkos::TeamPolicy<Exec>::vector_length_max();
  return fallback_launch(launch, block_shape, is_gpu_v<Exec>, warp);
}

// The properties of kernels (KernelOf) for callers that need not include all kernels.

/// has_single(): it multiplies one vector. has_multi(): it multiplies several.
bool has_single(Kernel kernel);
bool has_multi(Kernel kernel);

/// True if groups of lanes share block rows; else a thread takes one or several rows.
bool has_lanes(Kernel kernel);

/// Bytes of values that the kernel loads at a time, beginning at multiples of that.
int bytes_of_load(Kernel kernel, const BlockShape& shape, int value_bytes);

/// How a launch distributes block rows: ", 16 lanes a block row, 8 block rows a team".
std::string describe(const SpmvLaunch& launch);

}  // namespace ashlar::impl
