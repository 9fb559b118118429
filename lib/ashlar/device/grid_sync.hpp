#pragma once

#include <Kokkos_Core.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include <cstdint>

// How the thread blocks of one kernel wait for each other, and add up. All of them are on the device at once (a
// cooperative launch); who waits too long gives up, and with it all others.
//
// Source: PTX ISA 8.8, memory consistency model; the packets are as NCCL's LL protocol has them.

namespace ashlar::impl {

/// What thread blocks meet in, on the device; zeros before each launch, but for `failed`, which is the host's, too.
struct GridMemory {
  static constexpr int most_blocks = 256, most_sums = 2;

  unsigned arrived = 0;  ///< thread blocks that have come to barriers, counted through all of them
  unsigned gave_up = 0;  ///< whether some thread has waited too long
  unsigned padding[30] = {};
  uint4 packets[2][most_sums * most_blocks] = {};  ///< by the parity of the sum
};

/// The thread blocks of a grid, as one of their threads sees them.
class GridSync {
 public:
  __device__ GridSync(GridMemory* memory, std::uint64_t patience_ns) : memory_(memory), patience_(patience_ns) {}

  /// Whether somebody gave up: nothing that was computed since means anything.
  __device__ bool has_failed() const { return failed_; }

  /// All threads of all thread blocks: what each has written before is seen by all after.
  __device__ void barrier() {
    ++barriers_;
    __syncthreads();
    if (threadIdx.x == 0) {
      arrive(&memory_->arrived);
      wait_for_all();
    }
    __syncthreads();
  }

  /// The same, and each thread calls meanwhile() when its thread block has come, before it waits for the others: what
  /// that writes is not among what they see.
  template <class Meanwhile>
  __device__ void barrier(const Meanwhile& meanwhile) {
    ++barriers_;
    __syncthreads();
    if (threadIdx.x == 0) arrive(&memory_->arrived);
    meanwhile();
    if (threadIdx.x == 0) wait_for_all();
    __syncthreads();
  }

  /// A number for others, with a count that belongs to it alone, in one store of 16 bytes.
  __device__ static void send_packet(uint4* to, double value, unsigned count) { send(to, value, count); }

  /// The number that came, or comes, with this count: the thread waits for it. If it, or any other, gives up, the
  /// number means nothing.
  __device__ double receive_packet(const uint4* from, unsigned count) {
    double value = 0;
    Patience patience;
    while (!failed_ && !receive(from, count, value)) wait_a_little(patience);
    return value;
  }

  /// sum[k] := the sum over all threads of all thread blocks, the same bits for each of them. No barrier for other
  /// memory but within the thread block. `scratch` has room for most_sums * (32 + blocks) doubles in shared memory.
  ///
  /// A thread block sends each of its sums as a packet of the number and the count of sums so far, in one store of 16
  /// bytes: who reads the right count has the number that belongs to it, without fence or flag.
  template <int N>
  __device__ void sum(double (&sum)[N], double* scratch) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    double* const of_blocks = scratch + GridMemory::most_sums * 32;
    const double of_block = sum_of_block(sum, scratch);
    ++sums_;
    uint4* const packets = memory_->packets[sums_ % 2];
    const int blocks = gridDim.x;
    if (warp < N && lane == 0) send(packets + warp * blocks + blockIdx.x, of_block, sums_);
    Patience patience;
    collect(of_blocks, N * blocks, [&](int i) {
      double value = 0;
      while (!failed_ && !receive(packets + i, sums_, value)) wait_a_little(patience);
      return value;
    });
    for (int k = 0; k < N; ++k) sum[k] = sum_of_collected(of_blocks + k * blocks, blocks);
  }

 protected:
  /// How long a thread has waited for one thing.
  struct Patience {
    unsigned polls = 0;
    std::uint64_t since = 0;
  };

  __device__ void wait_a_little(Patience& patience) {
    if (++patience.polls % 1024 != 0) return;
    if (is_spent(patience)) give_up();
    hear_who_gave_up();
  }

  __device__ bool is_spent(Patience& patience) const {
    std::uint64_t now = 0;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    if (patience.since == 0) patience.since = now;
    return now - patience.since > patience_;
  }
  __device__ void give_up() { atomicExch(&memory_->gave_up, 1u); }
  __device__ void hear_who_gave_up() { failed_ = load_acquire(&memory_->gave_up) != 0; }

  /// The same bits in every lane.
  __device__ static double sum_of_warp(double value) {
    for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(0xffffffffu, value, offset);
    return value;
  }

  /// Sums over the thread block's threads: that of sum[k] for all lanes of warp k, nothing for the other warps. One
  /// __syncthreads().
  template <int N>
  __device__ static double sum_of_block(const double (&sum)[N], double* scratch) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = (blockDim.x + 31) / 32;
    for (int k = 0; k < N; ++k) {
      const double of_warp = sum_of_warp(sum[k]);
      if (lane == 0) scratch[k * 32 + warp] = of_warp;
    }
    __syncthreads();
    return warp < N ? sum_of_warp(lane < warps ? scratch[warp * 32 + lane] : 0.0) : 0.0;
  }

  /// of_blocks[i] := receive(i) for so many packets, which the thread block's threads share; all see all of them after.
  /// (Shared memory is written to again only behind a __syncthreads() that all readers have come to: that of the
  /// thread block's next sum.)
  template <class Receive>
  __device__ static void collect(double* of_blocks, int count, const Receive& receive) {
    for (int i = threadIdx.x; i < count; i += blockDim.x) of_blocks[i] = receive(i);
    __syncthreads();
  }

  /// Of so many of what was collected: each warp for itself, the same bits.
  __device__ static double sum_of_collected(const double* of_blocks, int count) {
    double of_lane = 0;
    for (int i = threadIdx.x % 32; i < count; i += 32) of_lane += of_blocks[i];
    return sum_of_warp(of_lane);
  }

  bool failed_ = false;

 private:
  __device__ void wait_for_all() {
    const unsigned target = barriers_ * gridDim.x;
    Patience patience;
    while (!failed_ && static_cast<int>(load_acquire(&memory_->arrived) - target) < 0) wait_a_little(patience);
  }

  // Devices before compute capability 7.0 have no such instructions, and get no such kernels.

  __device__ static void arrive([[maybe_unused]] unsigned* counter) {
#if __CUDA_ARCH__ >= 700
    asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(counter) : "memory");
#endif
  }

  __device__ static unsigned load_acquire([[maybe_unused]] const unsigned* from) {
    unsigned value = 0;
#if __CUDA_ARCH__ >= 700
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
#endif
    return value;
  }

  __device__ static void send([[maybe_unused]] uint4* to, [[maybe_unused]] double value,
                              [[maybe_unused]] unsigned count) {
#if __CUDA_ARCH__ >= 700
    asm volatile("st.relaxed.gpu.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(to),
                 "r"(static_cast<unsigned>(__double2loint(value))), "r"(count),
                 "r"(static_cast<unsigned>(__double2hiint(value))), "r"(count)
                 : "memory");
#endif
  }

  __device__ static bool receive([[maybe_unused]] const uint4* from, unsigned count, double& value) {
    unsigned low = 0, first = 0, high = 0, second = 0;
#if __CUDA_ARCH__ >= 700
    asm volatile("ld.relaxed.gpu.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(low), "=r"(first), "=r"(high), "=r"(second)
                 : "l"(from)
                 : "memory");
#endif
    value = __hiloint2double(static_cast<int>(high), static_cast<int>(low));
    return first == count && second == count;
  }

  GridMemory* memory_;
  std::uint64_t patience_;
  unsigned barriers_ = 0, sums_ = 0;
};

}  // namespace ashlar::impl
#endif
