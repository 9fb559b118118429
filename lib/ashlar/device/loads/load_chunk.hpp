#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/device/loads/cache_hint.hpp>
#include <cstdint>

namespace ashlar {

/// Neighbouring entries that one load brings: 16 bytes, the widest load of a GPU's thread, or 8, 4 or 2.
template <class Value, int Bytes = 16>
struct alignas(Bytes) Chunk {
  static constexpr int size = static_cast<int>(Bytes / sizeof(Value));
  static_assert((Bytes == 16 || Bytes == 8 || Bytes == 4 || Bytes == 2) && size * sizeof(Value) == Bytes);
  Value value[size];
};

/// True if the values are aligned to the size of a chunk.
template <class Value>
bool holds_aligned_chunks(const Value* values) {
  return reinterpret_cast<std::uintptr_t>(values) % sizeof(Chunk<Value>) == 0;
}

}  // namespace ashlar

// Loads of arrays that a kernel reads from beginning to end, with what the device's caches are to do with them.
// Source: PTX ISA 8.8, ld.global.nc; LLVM AMDGPU, non-temporal loads.

namespace ashlar {

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
/// so (CUDA from compute capability 8.0 on, HIP), it keeps its first cache for other things.
template <int Bytes = 16, class Value>
KOKKOS_INLINE_FUNCTION Chunk<Value, Bytes> load_once(const Value* entry, [[maybe_unused]] CacheHint hint) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  Chunk<Value, Bytes> chunk;
  std::uint32_t word[4];
  if constexpr (Bytes == 16) {
    asm("ld.global.nc.L1::no_allocate.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
        : "=r"(word[0]), "=r"(word[1]), "=r"(word[2]), "=r"(word[3])
        : "l"(entry), "l"(hint.policy()));
  } else if constexpr (Bytes == 8) {
    asm("ld.global.nc.L1::no_allocate.L2::cache_hint.v2.u32 {%0, %1}, [%2], %3;"
        : "=r"(word[0]), "=r"(word[1])
        : "l"(entry), "l"(hint.policy()));
  } else if constexpr (Bytes == 4) {
    asm("ld.global.nc.L1::no_allocate.L2::cache_hint.u32 %0, [%1], %2;"
        : "=r"(word[0])
        : "l"(entry), "l"(hint.policy()));
  } else {
    std::uint16_t half;
    asm("ld.global.nc.L1::no_allocate.L2::cache_hint.u16 %0, [%1], %2;" : "=h"(half) : "l"(entry), "l"(hint.policy()));
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

/// The chunk at `entry` where the loads of a few neighbouring threads, one right after the other, fetch all that lies
/// between, so that the first cache is to keep the cache lines until then. Loads of this kind are issued in the order
/// in which they are written.
template <int Bytes, class Value>
KOKKOS_INLINE_FUNCTION Chunk<Value, Bytes> load_strided(const Value* entry, [[maybe_unused]] CacheHint hint) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  Chunk<Value, Bytes> chunk;
  std::uint32_t word[4];
  if constexpr (Bytes == 16) {
    asm volatile("ld.global.nc.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
                 : "=r"(word[0]), "=r"(word[1]), "=r"(word[2]), "=r"(word[3])
                 : "l"(entry), "l"(hint.policy()));
  } else if constexpr (Bytes == 8) {
    asm volatile("ld.global.nc.L2::cache_hint.v2.u32 {%0, %1}, [%2], %3;"
                 : "=r"(word[0]), "=r"(word[1])
                 : "l"(entry), "l"(hint.policy()));
  } else if constexpr (Bytes == 4) {
    asm volatile("ld.global.nc.L2::cache_hint.u32 %0, [%1], %2;" : "=r"(word[0]) : "l"(entry), "l"(hint.policy()));
  } else {
    std::uint16_t half;
    asm volatile("ld.global.nc.L2::cache_hint.u16 %0, [%1], %2;" : "=h"(half) : "l"(entry), "l"(hint.policy()));
    word[0] = half;
  }
  __builtin_memcpy(&chunk, word, Bytes);
  return chunk;
#else
  return *reinterpret_cast<const Chunk<Value, Bytes>*>(entry);
#endif
}

}  // namespace ashlar
