#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <desul/atomics.hpp>

namespace ashlar {

/// Counts what has happened, in memory that several devices or processes reach; alone in its cache line.
struct alignas(128) PeerFlag {
  std::uint64_t count = 0;
};

/// A word that other devices or processes read and write, at once and without order. (On devices desul's own loads and
/// stores are loops of compare-and-swap, which crosses the link twice each.)
KOKKOS_INLINE_FUNCTION void store_shared(std::uint64_t* to, std::uint64_t value) {
  KOKKOS_IF_ON_DEVICE((*static_cast<volatile std::uint64_t*>(to) = value;))
  KOKKOS_IF_ON_HOST((desul::atomic_store(to, value, desul::MemoryOrderRelaxed(), desul::MemoryScopeNode());))
}
KOKKOS_INLINE_FUNCTION std::uint64_t load_shared(const std::uint64_t* from) {
  KOKKOS_IF_ON_DEVICE((return *static_cast<const volatile std::uint64_t*>(from);))
  KOKKOS_IF_ON_HOST((return desul::atomic_load(from, desul::MemoryOrderRelaxed(), desul::MemoryScopeNode());))
}

/// What was written before is seen by who has read this count.
KOKKOS_INLINE_FUNCTION void raise_flag(PeerFlag* flag, std::uint64_t count) {
  desul::atomic_thread_fence(desul::MemoryOrderRelease(), desul::MemoryScopeNode());
  store_shared(&flag->count, count);
}

/// Whether the count has come to that; then all that was written before is seen.
KOKKOS_INLINE_FUNCTION bool is_raised(const PeerFlag* flag, std::uint64_t count) {
  if (load_shared(&flag->count) < count) return false;
  desul::atomic_thread_fence(desul::MemoryOrderAcquire(), desul::MemoryScopeNode());
  return true;
}

}  // namespace ashlar
