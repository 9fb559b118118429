#pragma once

#include <Kokkos_Core.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include <cstdint>

// Words of one GPU's memory that kernels of another write: with PTX alone, so that this shares nothing with what it is
// measured beside.
//
// Source: PTX ISA 8.8, memory consistency model; the packets are as NCCL's LL protocol has them. Devices before compute
// capability 7.0 have no such instructions, and get no such kernels.

namespace ashlar::perf {

/// A double and the count of what has been sent so far, in two words of 8 bytes that are each written at once: who
/// reads the right count in both has the number that belongs to it, without fence or flag.
struct alignas(16) RankPacket {
  std::uint64_t low = 0, high = 0;
};

__device__ inline void send([[maybe_unused]] RankPacket* to, double value, std::uint32_t count) {
  const std::uint64_t low = std::uint64_t(static_cast<std::uint32_t>(__double2loint(value))) << 32 | count,
                      high = std::uint64_t(static_cast<std::uint32_t>(__double2hiint(value))) << 32 | count;
#if __CUDA_ARCH__ >= 700
  asm volatile("st.relaxed.sys.global.v2.u64 [%0], {%1, %2};" ::"l"(to), "l"(low), "l"(high) : "memory");
#endif
}

/// Whether the packet with this count has come.
__device__ inline bool receive([[maybe_unused]] const RankPacket* from, std::uint32_t count, double& value) {
  std::uint64_t low = 0, high = 0;
#if __CUDA_ARCH__ >= 700
  asm volatile("ld.relaxed.sys.global.v2.u64 {%0, %1}, [%2];" : "=l"(low), "=l"(high) : "l"(from) : "memory");
#endif
  value = __hiloint2double(static_cast<int>(high >> 32), static_cast<int>(low >> 32));
  return static_cast<std::uint32_t>(low) == count && static_cast<std::uint32_t>(high) == count;
}

__device__ inline void store_relaxed([[maybe_unused]] std::uint32_t* to, [[maybe_unused]] std::uint32_t value) {
#if __CUDA_ARCH__ >= 700
  asm volatile("st.relaxed.sys.global.u32 [%0], %1;" ::"l"(to), "r"(value) : "memory");
#endif
}

__device__ inline std::uint32_t load_relaxed([[maybe_unused]] const std::uint32_t* from) {
  std::uint32_t value = 0;
#if __CUDA_ARCH__ >= 700
  asm volatile("ld.relaxed.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
#endif
  return value;
}

/// Counts a thread block that has come; what it has written is seen by who reads the count.
__device__ inline void arrive([[maybe_unused]] std::uint32_t* counter) {
#if __CUDA_ARCH__ >= 700
  asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(counter) : "memory");
#endif
}

__device__ inline std::uint32_t load_acquire([[maybe_unused]] const std::uint32_t* from) {
  std::uint32_t value = 0;
#if __CUDA_ARCH__ >= 700
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
#endif
  return value;
}

__device__ inline std::uint64_t nanoseconds() {
  std::uint64_t now = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

}  // namespace ashlar::perf
#endif
