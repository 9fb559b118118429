#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <desul/atomics.hpp>

namespace ashlar {

/// Counts what has happened, in memory that several devices or processes reach; alone in its cache line.
struct alignas(128) PeerFlag {
  std::uint64_t count = 0;
};

/// What was written before is seen by who has read this count.
KOKKOS_INLINE_FUNCTION void raise_flag(PeerFlag* flag, std::uint64_t count) {
  desul::atomic_thread_fence(desul::MemoryOrderRelease(), desul::MemoryScopeNode());
  desul::atomic_store(&flag->count, count, desul::MemoryOrderRelaxed(), desul::MemoryScopeNode());
}

/// Whether the count has come to that; then all that was written before is seen.
KOKKOS_INLINE_FUNCTION bool is_raised(const PeerFlag* flag, std::uint64_t count) {
  const std::uint64_t now = desul::atomic_load(&flag->count, desul::MemoryOrderRelaxed(), desul::MemoryScopeNode());
  if (now < count) return false;
  desul::atomic_thread_fence(desul::MemoryOrderAcquire(), desul::MemoryScopeNode());
  return true;
}

}  // namespace ashlar
