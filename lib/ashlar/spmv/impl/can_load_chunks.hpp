#pragma once

#include <ashlar/base/chunk.hpp>
#include <ashlar/spmv/impl/arguments.hpp>
#include <ashlar/spmv/kernel.hpp>

namespace ashlar::impl {

/// Whether the arrays start where the kernel can load chunks.
template <class Value, class Scalar, class Ordinal, class Offset>
bool can_load_chunks(Kernel kernel, const SpmvArguments<Value, Scalar, Ordinal, Offset>& arguments) {
  if (kernel == Kernel::row_per_thread || kernel == Kernel::block_row_per_thread) return true;
  return holds_aligned_chunks(arguments.values) && holds_aligned_chunks(arguments.col_idx);
}

}  // namespace ashlar::impl
