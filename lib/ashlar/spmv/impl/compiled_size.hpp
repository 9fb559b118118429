#pragma once

#include <ashlar/spmv/block_sizes.hpp>
#include <ashlar/spmv/kernel.hpp>

namespace ashlar::impl {

/// The size of square blocks that a kernel for one vector has compiled in for blocks of `block_size`: that size, or
/// runtime_block_size where there is nothing to gain, since another kernel is the one to take. by_columns: how the
/// kernel sees the blocks stored, which for A^T is the other way.
constexpr int compiled_size(Kernel kernel, int block_size, int value_bytes, bool by_columns, bool is_gpu) {
  if (!is_compiled_block_size(block_size)) return runtime_block_size;
  switch (kernel) {
    case Kernel::by_block:  // by_column and by_line read along columns
      return by_columns ? runtime_block_size : block_size;
    case Kernel::by_column:  // odd columns are by_line's, but those of complex<double>
      return block_size % 2 == 1 && value_bytes <= 8 ? runtime_block_size : block_size;
    case Kernel::row_per_thread:  // for what no other kernel takes
      return runtime_block_size;
    case Kernel::block_row_per_thread:  // for CPUs
      return is_gpu && block_size > 2 ? runtime_block_size : block_size;
    default:
      return block_size;
  }
}

}  // namespace ashlar::impl
