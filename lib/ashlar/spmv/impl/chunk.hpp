#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace ashlar::impl {

/// Neighbouring entries that one load brings: 16 bytes, the widest load of a GPU's thread.
template <class Value>
struct alignas(16) Chunk {
  static constexpr int size = static_cast<int>(16 / sizeof(Value));
  static_assert(size * sizeof(Value) == 16, "a chunk is 16 bytes of whole entries");
  Value value[size];
};

/// The chunk at `entry`, an address that 16 divides, of an array that is read once: where the device can be told so,
/// it keeps its first cache for x.
template <class Value>
KOKKOS_INLINE_FUNCTION Chunk<Value> load_once(const Value* entry) {
#if defined(__CUDA_ARCH__)
  Chunk<Value> chunk;
  std::uint32_t word[4];
  asm("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
      : "=r"(word[0]), "=r"(word[1]), "=r"(word[2]), "=r"(word[3])
      : "l"(entry));
  __builtin_memcpy(&chunk, word, sizeof(chunk));
  return chunk;
#elif defined(__HIP_DEVICE_COMPILE__)
  using Words = std::uint32_t __attribute__((ext_vector_type(4)));
  const Words words = __builtin_nontemporal_load(reinterpret_cast<const Words*>(entry));
  Chunk<Value> chunk;
  __builtin_memcpy(&chunk, &words, sizeof(chunk));
  return chunk;
#else
  return *reinterpret_cast<const Chunk<Value>*>(entry);
#endif
}

/// Whether chunks can be loaded from the multiples of their size on.
template <class Value>
bool holds_aligned_chunks(const Value* values) {
  return reinterpret_cast<std::uintptr_t>(values) % sizeof(Chunk<Value>) == 0;
}

}  // namespace ashlar::impl
