#pragma once

#include <ashlar/base/algorithms.hpp>
#include <ashlar/device/packets/grid_sync.hpp>
#include <ashlar/persistent_cg/ranks.hpp>

#ifdef KOKKOS_ENABLE_CUDA

// How the kernels of several ranks, each on a device of its own, iterate as one: sums over all of them, and the halo.
//
// A kernel writes to the memory of the others and reads its own. It writes packets, so that nothing needs a fence
// across devices. Sums use two slots alternately: a thread block that sends the sum after next has received the next
// one, to which all thread blocks came after they had read this one. The halo has one slot: a rank sends the next halo
// after it has received a sum to which all thread blocks of all ranks came after they had read this halo.

namespace ashlar::impl {

/// Some places of a list, one after another.
struct PlaceRun {
  std::int32_t begin = 0, end = 0;
};

/// The thread blocks of one device that iterates alone.
class LoneSync : public GridSync {
 public:
  struct Ranks {};
  static constexpr bool is_of_ranks = false;

  __device__ LoneSync(GridMemory* memory, std::uint64_t limit_ns, const Ranks&) : GridSync(memory, limit_ns) {}

  /// Block rows with blocks in others' columns.
  __device__ static int num_other_rows() { return 0; }

  /// The number of thread blocks whose sums are in shared memory.
  __device__ static int blocks_of_sums(const Ranks&) { return static_cast<int>(gridDim.x); }
};

/// The thread blocks of all ranks, as a thread of one of them sees them; they add up to `most` numbers at a time.
template <class Value, int most = GridMemory::most_sums>
class RankSync : public GridSync {
 public:
  using Ranks = CgRanks<Value>;
  static constexpr bool is_of_ranks = true;
  static_assert(most <= CgRanks<Value>::most_sums);

  /// `ranks` is the kernel's argument itself, where devices read it fast.
  __device__ RankSync(GridMemory* memory, std::uint64_t limit_ns, const Ranks& ranks)
      : GridSync(memory, limit_ns), ranks_(ranks), sums_(*ranks.count) {}

  /// The number of thread blocks for whose sums shared memory has room: the maximum over all grids.
  __device__ static int blocks_of_sums(const Ranks& ranks) { return ranks.num_ranks * GridMemory::most_blocks; }

  /// sum[k] := the sum over all threads of all thread blocks of all ranks, the same bits for each of them: thread block
  /// after thread block, rank after rank. As GridSync::sum() otherwise, with `most` for its most_sums. `is_barrier`:
  /// for this rank's thread blocks it is one for all memory, in less time than barrier() takes before it.
  template <int N>
  __device__ void sum(double (&sum)[N], double* scratch, bool is_barrier = false) {
    static_assert(N <= most);
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    double* const of_blocks = scratch + most * 32;
    const double of_block = sum_of_block(sum, scratch);
    ++sums_;
    const int num_ranks = ranks_.num_ranks, blocks = ranks_.first_block[num_ranks];
    const int place = static_cast<int>(sums_ % 2) * Ranks::most_sums * blocks;
    if (warp < N && lane < num_ranks) {
      if (is_barrier) __threadfence();
      const int mine = place + warp * blocks + ranks_.first_block[ranks_.rank] + static_cast<int>(blockIdx.x);
      send_packet<PacketScope::system>(ranks_.sums[lane] + mine, of_block, sums_);
    }
    const Packet* const packets = ranks_.sums[ranks_.rank] + place;
    PollTimer timer;
    collect(of_blocks, N * blocks, [&](int i) {
      double value = 0;
      while (!failed_ && !receive_packet<PacketScope::system>(packets + i, sums_, value)) check_limit_of_ranks(timer);
      return value;
    });
    // (By all threads, although other threads of the thread block received the packets. That is enough because this is
    // fence.sc.gpu, which has one order; a fence of acq_rel would have to come before the barrier in collect().)
    if (is_barrier) __threadfence();
    for (int k = 0; k < N; ++k) {
      sum[k] = 0;
      for (int rank = 0; rank < num_ranks; ++rank) {
        const int first = ranks_.first_block[rank];
        sum[k] += sum_of_collected(of_blocks + k * blocks + first, ranks_.first_block[rank + 1] - first);
      }
    }
  }

  /// Sends the boundary entries of p, which all thread blocks of this rank have written before a barrier. All threads.
  /// The packets are distributed over all thread blocks, to their last warps first: those multiply the fewest slices.
  __device__ void send_halo(unsigned block_size, const Value* p) {
    const unsigned count = unsigned(ranks_.num_sends) * block_size, step = gridDim.x * blockDim.x,
                   warps_behind = (blockDim.x - 1 - threadIdx.x) / 32;
    for (unsigned i = (warps_behind * gridDim.x + blockIdx.x) * 32 + threadIdx.x % 32; i < count; i += step) {
      const unsigned row = i % block_size;
      const typename Ranks::Send send = ranks_.sends[i / block_size];
      send_packet<PacketScope::system>(send.to + row, double(p[std::int64_t(send.entry) * block_size + row]),
                                       number_of_halo());
    }
  }

  /// Which of all packets of the halo are of this block row.
  __device__ PlaceRun sends_of(std::int64_t row) const { return {first_send_from(row), first_send_from(row + 1)}; }

  /// Instead of send_halo(), by all threads: sends one entry of p, to all who need it.
  __device__ void send_entry(const PlaceRun& sends, int row_of_block, Value p) {
    for (std::int32_t k = sends.begin; k < sends.end; ++k) {
      send_packet<PacketScope::system>(ranks_.sends[k].to + row_of_block, double(p), number_of_halo());
    }
  }

  /// True if some of these block rows have blocks in others' columns.
  __device__ bool has_others(std::int64_t first_row, std::int64_t last_row) const {
    return ranks_.row_begin != nullptr && ranks_.row_begin[first_row] < ranks_.row_begin[last_row];
  }

  /// The begin of each block row's remote blocks, as in row pointers, if some row has any.
  __device__ const std::int32_t* begins_of_others() const { return ranks_.row_begin; }

  /// The block rows that have some, those with most of them first.
  __device__ int num_other_rows() const { return ranks_.num_other_rows; }
  __device__ typename Ranks::OtherRow other_row(int number) const { return ranks_.other_rows[number]; }

  /// The blocks in others' columns of a block row. Where some row has any.
  __device__ PlaceRun others_of(std::int64_t row) const { return {ranks_.row_begin[row], ranks_.row_begin[row + 1]}; }

  /// Every `step`th of these blocks times what the halo brings, as it comes: entry `row` of that. A thread for itself,
  /// or many beside each other.
  template <int B, class Layout>
  __device__ Value multiply_others(const PlaceRun& blocks, int step, int row) {
    constexpr int in_flight = B <= 4 ? 2 : 1;  // blocks whose x a thread polls for at a time
    Value sum(0);
    PollTimer timer;
#pragma unroll 1
    for (std::int32_t j = blocks.begin; j < blocks.end; j += in_flight * step) {
      std::int32_t from[in_flight];
      Value of_row[in_flight][B];
#pragma unroll
      for (int u = 0; u < in_flight; ++u) {  // (behind the last block: the first again)
        const std::int32_t at = j + u * step < blocks.end ? j + u * step : j;
        from[u] = ranks_.col_idx[at];
        const Value* const block = ranks_.values + std::int64_t(at) * (B * B);
#pragma unroll
        for (int c = 0; c < B; ++c) of_row[u][c] = block[Layout::at(row, c, B, B)];
      }
      double x[in_flight][B] = {};
      while (!failed_ && !receive_blocks(from, x)) check_limit_of_ranks(timer);
#pragma unroll
      for (int u = 0; u < in_flight; ++u) {
        if (j + u * step >= blocks.end) continue;
#pragma unroll
        for (int c = 0; c < B; ++c) sum += of_row[u][c] * Value(x[u][c]);
      }
    }
    return sum;
  }

  /// Keeps what the next kernel goes on from. One thread of the grid, when all have had the last sum.
  __device__ void finish() { *ranks_.count = sums_; }

 private:
  __device__ std::int32_t first_send_from(std::int64_t row) const {
    const auto entry_of = [&](std::int64_t k) { return ranks_.sends[k].entry; };
    return static_cast<std::int32_t>(first_not_less(entry_of, 0, ranks_.num_sends, row));
  }

  /// The sequence number of halo packets: there is a sum between one halo and the next.
  __device__ std::uint32_t number_of_halo() const { return sums_ + 1; }

  template <int count, int B>
  __device__ bool receive_blocks(const std::int32_t (&from)[count], double (&x)[count][B]) const {
    bool are_all_there = true;
#pragma unroll
    for (int u = 0; u < count; ++u) {
#pragma unroll
      for (int c = 0; c < B; ++c) {
        const Packet* const packet = ranks_.halo + (std::int64_t(from[u]) * B + c);
        are_all_there = receive_packet<PacketScope::system>(packet, number_of_halo(), x[u][c]) && are_all_there;
      }
    }
    return are_all_there;
  }

  /// As check_limit(). A thread that gives up tells all ranks.
  __device__ void check_limit_of_ranks(PollTimer& timer) {
    if (!timer.is_due()) return;
    if (has_passed_limit(timer) || load_shared(&ranks_.gave_up[ranks_.rank]->count) != 0) give_up();
    check_others();
    if (!failed_) return;
#pragma unroll 1
    for (int rank = 0; rank < ranks_.num_ranks; ++rank) store_shared(&ranks_.gave_up[rank]->count, 1);
  }

  const CgRanks<Value>& ranks_;
  std::uint32_t sums_;
};

}  // namespace ashlar::impl
#endif
