#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

// Copies of single words to a team's scratch memory that the thread does not wait for: as of copy_async.hpp, which has
// the waiting as well.
// Source: PTX ISA 8.8, cp.async.

namespace ashlar {

/// Copies a word of 4, 8 or 16 bytes, to which both addresses are aligned, to scratch memory; of 16 past the first
/// cache.
template <class Word>
KOKKOS_FUNCTION void copy_word_async(Word* to, const Word* from) {
  static_assert(sizeof(Word) == 4 || sizeof(Word) == 8 || sizeof(Word) == 16);
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  const auto scratch = static_cast<std::uint32_t>(__cvta_generic_to_shared(to));
  if constexpr (sizeof(Word) == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(scratch), "l"(from) : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(scratch), "l"(from), "n"(sizeof(Word)) : "memory");
  }
#else
  *to = *from;
#endif
}

}  // namespace ashlar
