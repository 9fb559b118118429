#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>

namespace ashlar {

/// Neighbouring entries that one load brings: 16 bytes, the widest load of a GPU's thread, or 8, 4 or 2.
template <class Value, int Bytes = 16>
struct alignas(Bytes) Chunk {
  static constexpr int size = static_cast<int>(Bytes / sizeof(Value));
  static_assert((Bytes == 16 || Bytes == 8 || Bytes == 4 || Bytes == 2) && size * sizeof(Value) == Bytes);
  Value value[size];
};

#if defined(__HIP_DEVICE_COMPILE__)
namespace impl {
template <int Bytes>
struct WordsOf {
  using type = std::uint32_t __attribute__((ext_vector_type(Bytes / 4)));
};
template <>
struct WordsOf<4> {
  using type = std::uint32_t;
};
template <>
struct WordsOf<2> {
  using type = std::uint16_t;
};
}  // namespace impl
#endif

/// The chunk at `entry`, an address that its size divides, of an array that is read once: where the device can be told
/// so, it keeps its first cache for other things.
template <int Bytes = 16, class Value>
KOKKOS_INLINE_FUNCTION Chunk<Value, Bytes> load_once(const Value* entry) {
#if defined(__CUDA_ARCH__)
  Chunk<Value, Bytes> chunk;
  std::uint32_t word[4];
  if constexpr (Bytes == 16) {
    asm("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
        : "=r"(word[0]), "=r"(word[1]), "=r"(word[2]), "=r"(word[3])
        : "l"(entry));
  } else if constexpr (Bytes == 8) {
    asm("ld.global.nc.L1::no_allocate.v2.u32 {%0, %1}, [%2];" : "=r"(word[0]), "=r"(word[1]) : "l"(entry));
  } else if constexpr (Bytes == 4) {
    asm("ld.global.nc.L1::no_allocate.u32 %0, [%1];" : "=r"(word[0]) : "l"(entry));
  } else {
    std::uint16_t half;
    asm("ld.global.nc.L1::no_allocate.u16 %0, [%1];" : "=h"(half) : "l"(entry));
    word[0] = half;
  }
  __builtin_memcpy(&chunk, word, Bytes);
  return chunk;
#elif defined(__HIP_DEVICE_COMPILE__)
  using Words = typename impl::WordsOf<Bytes>::type;
  const Words words = __builtin_nontemporal_load(reinterpret_cast<const Words*>(entry));
  Chunk<Value, Bytes> chunk;
  __builtin_memcpy(&chunk, &words, Bytes);
  return chunk;
#else
  return *reinterpret_cast<const Chunk<Value, Bytes>*>(entry);
#endif
}

/// The chunk at `entry` where the loads of a few neighbouring threads, one right after the other, bring all that lies
/// between: where the device can be told so, its first cache keeps the lines until then, and gives them up first.
/// Loads of this kind are asked for in the order in which they are written.
template <int Bytes, class Value>
KOKKOS_INLINE_FUNCTION Chunk<Value, Bytes> load_strided(const Value* entry) {
#if defined(__CUDA_ARCH__)
  Chunk<Value, Bytes> chunk;
  std::uint32_t word[4];
  if constexpr (Bytes == 16) {
    asm volatile("ld.global.nc.L1::evict_first.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(word[0]), "=r"(word[1]), "=r"(word[2]), "=r"(word[3])
                 : "l"(entry));
  } else if constexpr (Bytes == 8) {
    asm volatile("ld.global.nc.L1::evict_first.v2.u32 {%0, %1}, [%2];" : "=r"(word[0]), "=r"(word[1]) : "l"(entry));
  } else if constexpr (Bytes == 4) {
    asm volatile("ld.global.nc.L1::evict_first.u32 %0, [%1];" : "=r"(word[0]) : "l"(entry));
  } else {
    std::uint16_t half;
    asm volatile("ld.global.nc.L1::evict_first.u16 %0, [%1];" : "=h"(half) : "l"(entry));
    word[0] = half;
  }
  __builtin_memcpy(&chunk, word, Bytes);
  return chunk;
#else
  return *reinterpret_cast<const Chunk<Value, Bytes>*>(entry);
#endif
}

/// Whether chunks can be loaded from the multiples of their size on.
template <class Value>
bool holds_aligned_chunks(const Value* values) {
  return reinterpret_cast<std::uintptr_t>(values) % sizeof(Chunk<Value>) == 0;
}

}  // namespace ashlar
