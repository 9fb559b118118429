#pragma once

#include <ashlar/bcsr/block_shape.hpp>
#include <ashlar/device/cache_hint.hpp>
#include <ashlar/spmv/impl/spmv_launch.hpp>
#include <ashlar/spmv/impl/spmv_shape.hpp>
#include <cstdint>

namespace ashlar::impl {

/// How much of the values the device's last cache is to keep until the next product: what leaves room for the vectors
/// and the indices, and for what else a solver has (measured on an H200).
CacheHint choose_cache_hint(const SpmvShape& shape, const SpmvDevice& device);

/// Whether `kernel` can take the shape with groups of `width` lanes; 0: of some width.
bool serves(Kernel kernel, const SpmvShape& shape, int width);

/// What is asked for, and the best known for the rest. Throws   BlockSizeError, ArgumentError, ShapeError.
SpmvLaunch choose_launch(const SpmvShape& shape, const SpmvDevice& device, const LaunchRequest& request);

/// The same for products with several vectors: `kernel` and `width` as far as they serve those, else the best known.
SpmvLaunch choose_multi_launch(SpmvShape shape, const SpmvDevice& device, Kernel kernel, int width);

/// Blocks of a segment, where long block rows are cut into segments of their own.
std::int64_t blocks_of_segment(const BlockShape& block_shape);

/// How the segments of long block rows are multiplied: by the kernel of `launch`.
SpmvLaunch choose_segment_launch(const SpmvShape& shape, std::int64_t num_segments, const SpmvDevice& device,
                                 const SpmvLaunch& launch, bool many_vectors = false);

}  // namespace ashlar::impl
