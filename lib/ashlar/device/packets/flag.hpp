#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <desul/atomics.hpp>

// Defined if the compiler translates for a device with the memory model of PTX.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
#define ASHLAR_HAS_PTX_MEMORY_MODEL
#endif

namespace ashlar {

/// A count of events in memory that several devices or processes reach. It has a cache line of its own.
struct alignas(128) SharedFlag {
  std::uint64_t count = 0;
};

/// Stores or loads a word that other devices or processes access simultaneously: the access is atomic and relaxed.
/// (On devices desul's loads and stores are loops of compare-and-swap, each of which crosses the link twice.)
KOKKOS_INLINE_FUNCTION void store_shared(std::uint64_t* to, std::uint64_t value) {
  KOKKOS_IF_ON_DEVICE((*static_cast<volatile std::uint64_t*>(to) = value;))
  KOKKOS_IF_ON_HOST((desul::atomic_store(to, value, desul::MemoryOrderRelaxed(), desul::MemoryScopeNode());))
}
KOKKOS_INLINE_FUNCTION std::uint64_t load_shared(const std::uint64_t* from) {
  KOKKOS_IF_ON_DEVICE((return *static_cast<const volatile std::uint64_t*>(from);))
  KOKKOS_IF_ON_HOST((return desul::atomic_load(from, desul::MemoryOrderRelaxed(), desul::MemoryScopeNode());))
}

/// A thread that reads this count, and then fences, sees all that was written before the call.
KOKKOS_INLINE_FUNCTION void raise_flag(SharedFlag* flag, std::uint64_t count) {
  desul::atomic_thread_fence(desul::MemoryOrderRelease(), desul::MemoryScopeNode());
  store_shared(&flag->count, count);
}

// Between thread blocks of one device.

/// Adds 1 to the counter. A thread that reads the result by load_acquire() sees all that was written before the call.
KOKKOS_INLINE_FUNCTION void add_release(unsigned* counter) {
#ifdef ASHLAR_HAS_PTX_MEMORY_MODEL
  asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(counter) : "memory");
#else
  desul::atomic_add(counter, 1U, desul::MemoryOrderRelease(), desul::MemoryScopeDevice());
#endif
}
KOKKOS_INLINE_FUNCTION unsigned load_acquire(const unsigned* from) {
  unsigned value = 0;
#ifdef ASHLAR_HAS_PTX_MEMORY_MODEL
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
#else
  value = desul::atomic_load(from, desul::MemoryOrderAcquire(), desul::MemoryScopeDevice());
#endif
  return value;
}

}  // namespace ashlar
