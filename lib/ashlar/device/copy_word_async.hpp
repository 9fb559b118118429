#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

// Copies of single words to a team's scratch memory that the thread does not wait for: as of copy_async.hpp, which has
// the waiting as well, for words that the caches may treat as those of any load.
// Source: PTX ISA 8.8, cp.async.

namespace ashlar {

/// Copies a double to scratch memory.
KOKKOS_INLINE_FUNCTION void copy_word_async(double* to, const double* from) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  const auto scratch = static_cast<std::uint32_t>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(scratch), "l"(from) : "memory");
#else
  *to = *from;
#endif
}

}  // namespace ashlar
