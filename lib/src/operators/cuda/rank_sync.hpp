#pragma once

#include <ashlar/device/grid_sync.hpp>
#include <ashlar/operators/cg_ranks.hpp>

#ifdef KOKKOS_ENABLE_CUDA

// How the kernels of several ranks, each on a device of its own, iterate as one: sums over all of them, and the halo.
//
// A kernel writes to the memory of the others and reads its own. What it writes are packets (CgPacket), so that nothing
// needs a fence across devices. Sums have room for two, in turns: who sends the sum after next has had the next one,
// to which all thread blocks came after they had read this one. The halo has room for one: a rank sends the next when
// it has had a sum to which all thread blocks of all ranks came after they had read this one.
//
// Source: PTX ISA 8.8, memory consistency model.

namespace ashlar::impl {

/// The thread blocks of one device that iterates alone.
class LoneSync : public GridSync {
 public:
  struct Ranks {};
  static constexpr bool is_of_ranks = false;

  __device__ LoneSync(GridMemory* memory, std::uint64_t patience_ns, const Ranks&) : GridSync(memory, patience_ns) {}

  /// Of how many thread blocks shared memory has sums.
  __device__ static int blocks_of_sums(const Ranks&) { return static_cast<int>(gridDim.x); }
};

/// The thread blocks of all ranks, as a thread of one of them sees them.
template <class Value>
class RankSync : public GridSync {
 public:
  using Ranks = CgRanks<Value>;
  static constexpr bool is_of_ranks = true;
  static_assert(CgRanks<Value>::most_sums == GridMemory::most_sums);

  /// `ranks` is the kernel's argument itself, where devices read it fast.
  __device__ RankSync(GridMemory* memory, std::uint64_t patience_ns, const Ranks& ranks)
      : GridSync(memory, patience_ns), ranks_(ranks), sums_(ranks.counts[0]), halos_(ranks.counts[1]) {}

  /// Of how many thread blocks shared memory has room for sums: those of any grids.
  __device__ static int blocks_of_sums(const Ranks& ranks) { return ranks.num_ranks * GridMemory::most_blocks; }

  /// sum[k] := the sum over all threads of all thread blocks of all ranks, the same bits for each of them: thread block
  /// after thread block, rank after rank. As GridSync::sum() otherwise.
  template <int N>
  __device__ void sum(double (&sum)[N], double* scratch) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    double* const of_blocks = scratch + GridMemory::most_sums * 32;
    const double of_block = sum_of_block(sum, scratch);
    ++sums_;
    const int num_ranks = ranks_.num_ranks, blocks = ranks_.first_block[num_ranks];
    const int place = static_cast<int>(sums_ % 2) * GridMemory::most_sums * blocks;
    if (warp < N && lane < num_ranks) {
      const int mine = place + warp * blocks + ranks_.first_block[ranks_.rank] + static_cast<int>(blockIdx.x);
      send_to_rank(ranks_.sums[lane] + mine, of_block, sums_);
    }
    const CgPacket* const packets = ranks_.sums[ranks_.rank] + place;
    Patience patience;
    for (int i = threadIdx.x; i < N * blocks; i += blockDim.x) {
      double value = 0;
      while (!failed_ && !receive_from_rank(packets + i, sums_, value)) wait_for_ranks(patience);
      of_blocks[i] = value;
    }
    __syncthreads();
    for (int k = 0; k < N; ++k) {
      double total = 0;
      for (int rank = 0; rank < num_ranks; ++rank) {
        double of_lane = 0;
        for (int i = ranks_.first_block[rank] + lane; i < ranks_.first_block[rank + 1]; i += 32) {
          of_lane += of_blocks[k * blocks + i];
        }
        total += sum_of_warp(of_lane);
      }
      sum[k] = total;
    }
  }

  /// Sends what others need of p, which all thread blocks of this rank have written before a barrier. All threads.
  __device__ void send_halo(int block_size, const Value* p) {
    ++halos_;
    const std::int64_t step = std::int64_t(gridDim.x) * blockDim.x,
                       first = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    for (int k = 0; k < ranks_.num_sends; ++k) {
      const std::int32_t* const entries = ranks_.sends[k].entries;
      const std::int64_t count = ranks_.sends[k].count * block_size;
      CgPacket* const to = ranks_.sends[k].to;
      for (std::int64_t i = first; i < count; i += step) {
        const std::int64_t entry = i / block_size;
        send_to_rank(to + i, double(p[std::int64_t(entries[entry]) * block_size + (i - entry * block_size)]), halos_);
      }
    }
  }

  /// Whether this rank has blocks in others' columns.
  __device__ bool has_others() const { return ranks_.num_rows > 0; }

  /// Multiplies the blocks in others' columns, as the halo comes, and keeps the products; returns the thread's share of
  /// p^H times them. All threads; a few lanes a block row, which are dealt to all thread blocks.
  template <int B, class Layout>
  __device__ double multiply_others(const Value* p) {
    constexpr int lanes = 8;
    static_assert(B <= lanes);
    const int lane = threadIdx.x % lanes, group = threadIdx.x / lanes, groups = blockDim.x / lanes;
    double dot = 0;
    Patience patience;
    // (The loop is the same for all lanes of a warp, which shuffle.)
    for (std::int64_t base = std::int64_t(blockIdx.x) * groups + group / 4 * 4; base < ranks_.num_rows;
         base += std::int64_t(gridDim.x) * groups) {
      const std::int64_t row = base + group % 4;
      const bool is_there = row < ranks_.num_rows;
      const std::int32_t begin = is_there ? ranks_.row_begin[row] : 0, end = is_there ? ranks_.row_begin[row + 1] : 0;
      Value sum[B] = {};
      for (std::int32_t j = begin + lane; j < end; j += lanes) {
        const CgPacket* const from = ranks_.halo + std::int64_t(ranks_.col_idx[j]) * B;
        const Value* const block = ranks_.values + std::int64_t(j) * (B * B);
        double x[B] = {};
        while (!failed_ && !receive_block<B>(from, x)) wait_for_ranks(patience);
#pragma unroll
        for (int c = 0; c < B; ++c) {
#pragma unroll
          for (int r = 0; r < B; ++r) sum[r] += block[Layout::at(r, c, B, B)] * Value(x[c]);
        }
      }
#pragma unroll
      for (int r = 0; r < B; ++r) {
        for (int offset = lanes / 2; offset > 0; offset /= 2) {
          sum[r] += __shfl_xor_sync(0xffffffffu, sum[r], offset);
        }
        if (is_there && lane == r) {
          ranks_.products[row * B + r] = sum[r];
          dot += double(p[std::int64_t(ranks_.rows[row]) * B + r]) * double(sum[r]);
        }
      }
    }
    return dot;
  }

  /// q += what multiply_others() has kept, behind a barrier, for block rows [first, last). All threads of a thread
  /// block.
  template <int B>
  __device__ void add_others(Value* q, std::int64_t first, std::int64_t last) const {
    const std::int32_t begin = place_from(first), end = place_from(last);
    for (std::int32_t i = begin * B + static_cast<int>(threadIdx.x); i < end * B; i += blockDim.x) {
      q[std::int64_t(ranks_.rows[i / B]) * B + i % B] += ranks_.products[i];
    }
  }

  /// Where a block row is among those with blocks in others' columns; -1: nowhere.
  __device__ std::int32_t place_of_row(std::int64_t row) const {
    const std::int32_t place = place_from(row);
    return place < ranks_.num_rows && ranks_.rows[place] == row ? place : -1;
  }
  __device__ Value product_of(std::int64_t entry) const { return ranks_.products[entry]; }

  /// Keeps what the next kernel goes on from. One thread of the grid, when all have had the last sum.
  __device__ void finish() {
    ranks_.counts[0] = sums_;
    ranks_.counts[1] = halos_;
  }

 private:
  /// The first of these rows that is not before `row`.
  __device__ std::int32_t place_from(std::int64_t row) const {
    std::int32_t begin = 0, end = ranks_.num_rows;
    while (begin < end) {
      const std::int32_t middle = begin + (end - begin) / 2;
      if (ranks_.rows[middle] < row) {
        begin = middle + 1;
      } else {
        end = middle;
      }
    }
    return begin;
  }

  template <int B>
  __device__ bool receive_block(const CgPacket* from, double (&x)[B]) const {
    bool is_all_there = true;
#pragma unroll
    for (int c = 0; c < B; ++c) is_all_there = receive_from_rank(from + c, halos_, x[c]) && is_all_there;
    return is_all_there;
  }

  /// As wait_a_little(); who gives up, or hears of it, tells all ranks.
  __device__ void wait_for_ranks(Patience& patience) {
    if (++patience.polls % 1024 != 0) return;
    if (is_spent(patience) || load_relaxed(ranks_.gave_up[ranks_.rank]) != 0) give_up();
    hear_who_gave_up();
    if (!failed_) return;
    for (int rank = 0; rank < ranks_.num_ranks; ++rank) store_relaxed(ranks_.gave_up[rank], 1);
  }

  __device__ static void store_relaxed(std::uint32_t* to, std::uint32_t value) {
#if __CUDA_ARCH__ >= 700
    asm volatile("st.relaxed.sys.global.u32 [%0], %1;" ::"l"(to), "r"(value) : "memory");
#endif
  }

  __device__ static std::uint32_t load_relaxed(const std::uint32_t* from) {
    std::uint32_t value = 0;
#if __CUDA_ARCH__ >= 700
    asm volatile("ld.relaxed.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
#endif
    return value;
  }

  __device__ static void send_to_rank(CgPacket* to, double value, std::uint32_t count) {
    const std::uint64_t low = std::uint64_t(static_cast<std::uint32_t>(__double2loint(value))) << 32 | count,
                        high = std::uint64_t(static_cast<std::uint32_t>(__double2hiint(value))) << 32 | count;
#if __CUDA_ARCH__ >= 700
    asm volatile("st.relaxed.sys.global.v2.u64 [%0], {%1, %2};" ::"l"(to), "l"(low), "l"(high) : "memory");
#endif
  }

  __device__ static bool receive_from_rank(const CgPacket* from, std::uint32_t count, double& value) {
    std::uint64_t low = 0, high = 0;
#if __CUDA_ARCH__ >= 700
    asm volatile("ld.relaxed.sys.global.v2.u64 {%0, %1}, [%2];" : "=l"(low), "=l"(high) : "l"(from) : "memory");
#endif
    value = __hiloint2double(static_cast<int>(high >> 32), static_cast<int>(low >> 32));
    return static_cast<std::uint32_t>(low) == count && static_cast<std::uint32_t>(high) == count;
  }

  const CgRanks<Value>& ranks_;
  std::uint32_t sums_, halos_;
};

}  // namespace ashlar::impl
#endif
