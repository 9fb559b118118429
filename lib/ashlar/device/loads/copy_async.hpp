#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/device/loads/cache_hint.hpp>
#include <cstdint>

// Copies from memory to a team's scratch memory that need no registers and that the thread does not wait for: CUDA from
// compute capability 8.0 on. Elsewhere they are done when the call returns.
// Source: PTX ISA 8.8, cp.async.

namespace ashlar {

/// Copies Bytes to scratch memory: 4, 8 or 16, or 2, for which there is nothing but a plain copy. Both addresses are
/// multiples of Bytes. NearToo says whether the first cache is to keep them as well, for other copies of the
/// same or of their neighbours; of fewer than 16 it always is.
template <int Bytes, bool NearToo = false>
KOKKOS_INLINE_FUNCTION void copy_async(void* to, const void* from, [[maybe_unused]] CacheHint hint) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  auto scratch = static_cast<std::uint32_t>(__cvta_generic_to_shared(to));
  // Adds 0, in a way that depends on the thread: where ptxas 13.0 sees that all threads' addresses have one base, it
  // makes of the copy with a cache hint an instruction that the device does not know.
  asm("{\n\t.reg .b32 none;\n\tmov.u32 none, %%laneid;\n\tshr.u32 none, none, 5;\n\tadd.u32 %0, %0, none;\n\t}"
      : "+r"(scratch));
  if constexpr (Bytes == 16 && !NearToo) {
    asm volatile("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2;" ::"r"(scratch), "l"(from),
                 "l"(hint.policy()));
    return;
  } else if constexpr (Bytes >= 4) {
    asm volatile("cp.async.ca.shared.global.L2::cache_hint [%0], [%1], %2, %3;" ::"r"(scratch), "l"(from), "n"(Bytes),
                 "l"(hint.policy()));
    return;
  }
#endif
  __builtin_memcpy(__builtin_assume_aligned(to, Bytes), __builtin_assume_aligned(from, Bytes), Bytes);
}

/// The alignment at which the copies of a run begin, in scratch memory and in memory.
inline constexpr int copy_granule = 16;

/// Bytes from a multiple of the granule to what `first` points at.
template <class Entry>
KOKKOS_INLINE_FUNCTION int shift_in_scratch(const Entry* first) {
  return static_cast<int>(reinterpret_cast<std::uintptr_t>(first) % copy_granule);
}

/// The share of one of `width` lanes in the copy of `count` entries to shift_in_scratch(first) bytes behind `to`, a
/// multiple of the granule. From `first` on there are `readable` entries, no fewer than `count`: a device reads, and
/// writes to scratch memory, whole granules as far as those go, and as far as a granule goes what lies in memory
/// before.
template <bool NearToo = false, class Entry>
KOKKOS_INLINE_FUNCTION void copy_run_async(unsigned char* to, const Entry* first, int count,
                                           [[maybe_unused]] std::int64_t readable, [[maybe_unused]] CacheHint hint,
                                           int lane, [[maybe_unused]] int width) {
  const int shift = shift_in_scratch(first);
  const char* const from = reinterpret_cast<const char*>(first) - shift;
  const int bytes = shift + count * static_cast<int>(sizeof(Entry));
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
  constexpr int size = sizeof(Entry), mask = copy_granule - 1;
  const bool goes_on = readable - count >= copy_granule / size - 1;
  const int whole = (goes_on ? bytes + mask : bytes) & ~mask;
#pragma unroll 1  // unrolled it takes registers, which the kernels around it have better use for
  for (int i = lane * copy_granule; i < whole; i += width * copy_granule) {
    copy_async<copy_granule, NearToo>(to + i, from + i, hint);
  }
  // The entries of the array's last run behind its whole granules.
  for (int i = (whole > shift ? whole : shift) + lane * size; i < bytes; i += width * size) {
    copy_async<size>(to + i, from + i, hint);
  }
#else
  if (lane == 0) __builtin_memcpy(to + shift, from + shift, static_cast<std::size_t>(bytes - shift));
#endif
}

/// Ends a batch of the thread's copies.
KOKKOS_INLINE_FUNCTION void end_batch_of_copies() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/// Waits for the thread's own copies, but for the last `Left` batches. Other threads see them once they have met.
template <int Left>
KOKKOS_INLINE_FUNCTION void wait_for_copies() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(Left) : "memory");
#endif
}

}  // namespace ashlar

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
