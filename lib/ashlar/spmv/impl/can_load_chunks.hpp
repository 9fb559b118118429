#pragma once

#include <ashlar/base/chunk.hpp>
#include <ashlar/spmv/impl/arguments.hpp>
#include <ashlar/spmv/kernel.hpp>

namespace ashlar::impl {

/// Whether the arrays start where the kernel can load chunks.
template <class Value, class Scalar, class Ordinal, class Offset>
bool can_load_chunks(Kernel kernel, const SpmvArguments<Value, Scalar, Ordinal, Offset>& arguments) {
  const bool loads_chunks = kernel == Kernel::by_block || kernel == Kernel::by_column || kernel == Kernel::by_line ||
                            kernel == Kernel::by_tile;
  if (!loads_chunks) return true;
  return holds_aligned_chunks(arguments.values) && holds_aligned_chunks(arguments.col_idx);
}

}  // namespace ashlar::impl
