#pragma once

#include <cstdint>

namespace ashlar {

/// Neighbouring entries that one load brings: 16 bytes, the widest load of a GPU's thread, or 8, 4 or 2.
template <class Value, int Bytes = 16>
struct alignas(Bytes) Chunk {
  static constexpr int size = static_cast<int>(Bytes / sizeof(Value));
  static_assert((Bytes == 16 || Bytes == 8 || Bytes == 4 || Bytes == 2) && size * sizeof(Value) == Bytes);
  Value value[size];
};

/// Whether chunks can be loaded from the multiples of their size on.
template <class Value>
bool holds_aligned_chunks(const Value* values) {
  return reinterpret_cast<std::uintptr_t>(values) % sizeof(Chunk<Value>) == 0;
}

}  // namespace ashlar
