#pragma once

#include <ashlar/spmv/impl/launch.hpp>
#include <cstdint>

namespace ashlar::impl {

/// The sizes of a product, as the choice of a kernel needs them: of A^T where that is multiplied by.
struct SpmvShape {
  std::int64_t num_block_rows;
  std::int64_t num_cols;
  std::int64_t num_blocks;
  int block_size;
};

struct SpmvDevice {
  bool is_gpu;
  int max_width;  // lanes of a warp or wavefront
};

/// Whether `kernel` can take the shape with groups of `width` lanes.
bool serves(Kernel kernel, const SpmvShape& shape, int width);

/// The kernel asked for, or the best known where `kernel` is automatic, with its grouping; width 0 is free to choose.
/// Throws   BlockSizeError, ArgumentError.
SpmvLaunch choose_launch(const SpmvShape& shape, const SpmvDevice& device, Kernel kernel, int width);

}  // namespace ashlar::impl
