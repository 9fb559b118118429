#pragma once

#include <cg_ranks/peers/rank_packet.hpp>

#ifdef KOKKOS_ENABLE_CUDA

namespace ashlar::perf {

/// What the kernels of all ranks meet in, as one of them reaches it.
struct RankMeeting {
  static constexpr int most_ranks = 16;

  int rank = 0, num_ranks = 1, blocks = 1;  ///< thread blocks of each rank
  std::uint64_t patience_ns = 0;            ///< how long a thread waits for anything
  RankPacket* sums[most_ranks] = {};        ///< of each rank: for two sums, one of each thread block of each rank
  std::uint32_t* gave_up[most_ranks] = {};  ///< of each rank: whether somebody has waited too long
  std::uint32_t* arrived = nullptr;         ///< thread blocks of this rank that have come to barriers; 0 at first
};

/// One thread of the thread blocks of all ranks, all of which are on the devices at once. Who waits too long gives up,
/// and all others with it: their waits end then, and nothing that is computed means anything.
class RankTeam {
 public:
  /// `sums`: how many there have been in kernels before.
  __device__ RankTeam(const RankMeeting& meeting, std::uint32_t sums) : meeting_(meeting), sums_(sums) {}

  __device__ bool has_failed() const { return failed_; }

  /// Of this rank's thread blocks: what each has written before is seen by all after.
  __device__ void barrier() {
    target_ += gridDim.x;
    __syncthreads();
    if (threadIdx.x == 0) {
      arrive(meeting_.arrived);
      wait_until([&] { return static_cast<int>(load_acquire(meeting_.arrived) - target_) >= 0; });
    }
    __syncthreads();
  }

  /// The sum over all threads of all ranks, the same bits for each: every thread block sends its own to all ranks, and
  /// adds up all of them. `scratch` is shared memory for 32 doubles and one of each thread block of all ranks.
  __device__ double sum(double value, double* scratch) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32,
              all = meeting_.num_ranks * meeting_.blocks;
    double* const of_blocks = scratch + 32;
    value = sum_of_warp(value);
    if (lane == 0) scratch[warp] = value;
    __syncthreads();
    ++sums_;
    // Of two, as a thread block may be at the next sum while another still reads this one, and at no later one.
    const int place = static_cast<int>(sums_ % 2) * all;
    if (warp == 0) {
      value = sum_of_warp(lane < warps ? scratch[lane] : 0.0);
      const int mine = place + meeting_.rank * meeting_.blocks + static_cast<int>(blockIdx.x);
      if (lane < meeting_.num_ranks) send(meeting_.sums[lane] + mine, value, sums_);
    }
    const RankPacket* const packets = meeting_.sums[meeting_.rank] + place;
    for (int i = threadIdx.x; i < all; i += blockDim.x) {
      double of_block = 0;
      wait_until([&] { return receive(packets + i, sums_, of_block); });
      of_blocks[i] = of_block;
    }
    __syncthreads();
    double of_lane = 0;
    for (int i = lane; i < all; i += 32) of_lane += of_blocks[i];
    return sum_of_warp(of_lane);
  }

  /// What packets of the halo are counted by. (There is a sum between one halo and the next: who sends that one knows
  /// that this one has been read.)
  __device__ std::uint32_t count_of_halo() const { return sums_ + 1; }

  template <class IsThere>
  __device__ void wait_until(const IsThere& is_there) {
    unsigned polls = 0;
    std::uint64_t since = 0;
    while (!failed_ && !is_there()) {
      if (++polls % 1024 != 0) continue;
      const std::uint64_t now = nanoseconds();
      if (since == 0) since = now;
      if (now - since < meeting_.patience_ns && load_relaxed(meeting_.gave_up[meeting_.rank]) == 0) continue;
      failed_ = true;
      for (int rank = 0; rank < meeting_.num_ranks; ++rank) store_relaxed(meeting_.gave_up[rank], 1);
    }
  }

 private:
  /// The same bits in every lane.
  __device__ static double sum_of_warp(double value) {
    for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(0xffffffffu, value, offset);
    return value;
  }

  const RankMeeting& meeting_;
  std::uint32_t sums_, target_ = 0;
  bool failed_ = false;
};

}  // namespace ashlar::perf
#endif
