#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/device/packets/packet.hpp>
#include <ashlar/device/packets/time_limit.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include <cstdint>

// How the thread blocks of one kernel synchronise and add up. All of them are resident simultaneously (a cooperative
// launch). A thread that reaches the time limit gives up, and all others do with it. Kernels need compute capability
// 7.0: the memory model of PTX.

namespace ashlar::impl {

/// The device memory by which thread blocks synchronise; zeros before each launch.
struct GridMemory {
  static constexpr int most_blocks = 256, most_sums = 2;

  unsigned arrived = 0;  ///< arrivals of thread blocks at barriers, over all barriers
  unsigned gave_up = 0;  ///< whether a thread has reached the time limit
  unsigned padding[30] = {};
  Packet packets[2][most_sums * most_blocks] = {};  ///< by the parity of the sum
};

/// The thread blocks of a grid, as one of their threads sees them.
class GridSync {
 public:
  __device__ GridSync(GridMemory* memory, std::uint64_t limit_ns) : memory_(memory), limit_ns_(limit_ns) {}

  /// True if a thread gave up: results computed since then are meaningless.
  __device__ bool has_failed() const { return failed_; }

  /// All threads of all thread blocks: what each has written before is seen by all after.
  __device__ void barrier() {
    ++barriers_;
    __syncthreads();
    if (threadIdx.x == 0) {
      add_release(&memory_->arrived);
      wait_for_all();
    }
    __syncthreads();
  }

  /// The same. Each thread calls meanwhile() when its thread block has arrived, before it waits for the others. The
  /// others do not see what meanwhile() writes.
  template <class Meanwhile>
  __device__ void barrier(const Meanwhile& meanwhile) {
    ++barriers_;
    __syncthreads();
    if (threadIdx.x == 0) add_release(&memory_->arrived);
    meanwhile();
    if (threadIdx.x == 0) wait_for_all();
    __syncthreads();
  }

  /// Waits for the packet with this sequence number and returns its value, which is meaningless if a thread gave up.
  __device__ double wait_for_packet(const Packet* from, unsigned number) {
    double value = 0;
    PollTimer timer;
    while (!failed_ && !receive_packet<PacketScope::device>(from, number, value)) check_limit(timer);
    return value;
  }

  /// sum[k] := the sum over all threads of all thread blocks, the same bits for each of them. No barrier for other
  /// memory but within the thread block. `scratch` has room for most_sums * (32 + blocks) doubles in shared memory.
  ///
  /// A thread block sends each of its sums as a packet, whose sequence number is the count of sums so far.
  template <int N>
  __device__ void sum(double (&sum)[N], double* scratch) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    double* const of_blocks = scratch + GridMemory::most_sums * 32;
    const double of_block = sum_of_block(sum, scratch);
    ++sums_;
    Packet* const packets = memory_->packets[sums_ % 2];
    const int blocks = gridDim.x;
    if (warp < N && lane == 0) {
      send_packet<PacketScope::device>(packets + warp * blocks + blockIdx.x, of_block, sums_);
    }
    PollTimer timer;
    collect(of_blocks, N * blocks, [&](int i) {
      double value = 0;
      while (!failed_ && !receive_packet<PacketScope::device>(packets + i, sums_, value)) check_limit(timer);
      return value;
    });
    for (int k = 0; k < N; ++k) sum[k] = sum_of_collected(of_blocks + k * blocks, blocks);
  }

 protected:
  /// After a poll: gives up if the time limit has passed, or if another thread has given up.
  __device__ void check_limit(PollTimer& timer) {
    if (!timer.is_due()) return;
    if (has_passed_limit(timer)) give_up();
    check_others();
  }

  __device__ bool has_passed_limit(PollTimer& timer) const { return timer.has_passed(limit_ns_); }
  __device__ void give_up() { atomicExch(&memory_->gave_up, 1u); }
  __device__ void check_others() { failed_ = load_acquire(&memory_->gave_up) != 0; }

  /// The same bits in every lane.
  __device__ static double sum_of_warp(double value) {
    for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(0xffffffffu, value, offset);
    return value;
  }

  /// Sums over the thread block's threads: all lanes of warp k get the sum of sum[k], the other warps nothing. One
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

  /// of_blocks[i] := receive(i) for the given number of packets, which the thread block's threads share; all threads
  /// see all of them afterwards. (Shared memory is written again only behind a __syncthreads() that all readers have
  /// reached: the one in the thread block's next sum.)
  template <class Receive>
  __device__ static void collect(double* of_blocks, int count, const Receive& receive) {
    for (int i = threadIdx.x; i < count; i += blockDim.x) of_blocks[i] = receive(i);
    __syncthreads();
  }

  /// Sums the given number of collected packets: each warp for itself, with the same bits.
  __device__ static double sum_of_collected(const double* of_blocks, int count) {
    double of_lane = 0;
    for (int i = threadIdx.x % 32; i < count; i += 32) of_lane += of_blocks[i];
    return sum_of_warp(of_lane);
  }

  bool failed_ = false;

 private:
  __device__ void wait_for_all() {
    const unsigned target = barriers_ * gridDim.x;
    PollTimer timer;
    while (!failed_ && static_cast<int>(load_acquire(&memory_->arrived) - target) < 0) check_limit(timer);
  }

  GridMemory* memory_;
  std::uint64_t limit_ns_;
  unsigned barriers_ = 0, sums_ = 0;
};

}  // namespace ashlar::impl
#endif
