#pragma once

#include <Kokkos_Core.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include <cstdint>

// Copies to shared memory that one thread starts and a unit of the multiprocessor makes, and the barriers that count
// what has arrived. From compute capability 9.0 on; before that nobody calls them.
// Source: PTX ISA 8.8, cp.async.bulk and mbarrier.

namespace ashlar::impl {

/// Counts bytes that are in flight to shared memory. One thread arrives, and says how many there will be.
class ArrivalBarrier {
 public:
  __device__ void init() {
#if __CUDA_ARCH__ >= 900
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address()) : "memory");
#endif
  }
  /// After init() of some: they are seen by the unit that copies.
  __device__ static void publish() {
#if __CUDA_ARCH__ >= 900
    asm volatile("fence.mbarrier_init.release.cluster; fence.proxy.async.shared::cta;" ::: "memory");
#endif
  }
  __device__ void arrive_and_expect([[maybe_unused]] unsigned bytes) {
#if __CUDA_ARCH__ >= 900
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address()), "r"(bytes) : "memory");
#endif
  }
  /// Waits until the phase of this parity has ended.
  __device__ void wait([[maybe_unused]] unsigned parity) {
#if __CUDA_ARCH__ >= 900
    unsigned has_ended = 0;
    while (has_ended == 0) {
      asm volatile(
          "{\n\t.reg .pred p;\n\tmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\tselp.u32 %0, 1, 0, p;\n\t}"
          : "=r"(has_ended)
          : "r"(address()), "r"(parity)
          : "memory");
    }
#endif
  }
  /// Copies so many bytes, a multiple of 16; both addresses are multiples of 16, too.
  __device__ void copy([[maybe_unused]] void* to, [[maybe_unused]] const void* from, [[maybe_unused]] unsigned bytes,
                       [[maybe_unused]] std::uint64_t policy) {
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], %2, [%3], %4;" ::
            "r"(static_cast<unsigned>(__cvta_generic_to_shared(to))),
        "l"(from), "r"(bytes), "r"(address()), "l"(policy)
        : "memory");
#endif
  }

 private:
  __device__ unsigned address() { return static_cast<unsigned>(__cvta_generic_to_shared(&state_)); }

  std::uint64_t state_;
};

}  // namespace ashlar::impl
#endif

#ifdef KOKKOS_ENABLE_CUDA
namespace ashlar::impl {

/// All lanes of a warp, between loads and their uses: keeps the loads in flight together, as ptxas moves no load over a
/// barrier of the warp. Without it ptxas may put each load behind the use of the one before, if loads have conditions
/// and the 7 predicate registers are wanted elsewhere; which kernels that hits changes with any line around the loop.
/// (Measured on an H200, 16.8 million rows of 11 diagonals: 812 us an iteration with one load in flight. With 6 it
/// takes 764, or 745 where ptxas keeps them together by itself; with 11 740.)
__device__ inline void issue_loads() { __syncwarp(); }

}  // namespace ashlar::impl
#endif
