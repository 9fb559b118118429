#pragma once

#include <ashlar/spmv/impl/arguments.hpp>
#include <ashlar/spmv/impl/kernel_properties.hpp>
#include <ashlar/spmv/kernel.hpp>
#include <cstdint>

namespace ashlar::impl {

/// Whether the values start where the kernel can load them.
template <class Value, class Scalar, class Ordinal, class Offset>
bool can_load_chunks(Kernel kernel, const SpmvArguments<Value, Scalar, Ordinal, Offset>& arguments) {
  const int bytes = bytes_of_load(kernel, arguments.block_shape, sizeof(Value));
  return reinterpret_cast<std::uintptr_t>(arguments.values) % bytes == 0;
}

}  // namespace ashlar::impl
