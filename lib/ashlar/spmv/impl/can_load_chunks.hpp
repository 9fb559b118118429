#pragma once

#include <algorithm>
#include <ashlar/spmv/impl/arguments.hpp>
#include <ashlar/spmv/impl/line_parts.hpp>
#include <ashlar/spmv/kernel.hpp>
#include <cstdint>

namespace ashlar::impl {

/// Bytes of values that the kernel loads at a time, beginning at multiples of that.
constexpr int bytes_of_load(Kernel kernel, const BlockShape& shape, int value_bytes) {
  switch (kernel) {
    case Kernel::by_block:
    case Kernel::by_column:
      return 16;
    case Kernel::by_line:
      return values_of_load(shape.rows, value_bytes) * value_bytes;  // pairs begin where the address says
    case Kernel::by_tile:
      return static_cast<int>(std::min<std::int64_t>(16, shape.num_values() * value_bytes));
    default:
      return value_bytes;
  }
}

/// Whether the values start where the kernel can load them.
template <class Value, class Scalar, class Ordinal, class Offset>
bool can_load_chunks(Kernel kernel, const SpmvArguments<Value, Scalar, Ordinal, Offset>& arguments) {
  const int bytes = bytes_of_load(kernel, arguments.block_shape, sizeof(Value));
  return reinterpret_cast<std::uintptr_t>(arguments.values) % bytes == 0;
}

}  // namespace ashlar::impl
