#pragma once

#include <ashlar/persistent_cg/one_device.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include <ashlar/base/scalar.hpp>
#include <ashlar/persistent_cg/impl/assigned_rows.hpp>
#include <type_traits>

#include "async_copies.hpp"
#include "diagonal_slices.hpp"
#include "other_rows.hpp"
#include "rank_sync.hpp"

namespace ashlar::impl {

/// A thread block's data on the block rows with remote blocks, in shared memory: with it in each thread's registers,
/// these would not suffice for the slices.
struct OthersOfBlock {
  InnerSlices inner;      ///< of no such row
  AssignedRows assigned;  ///< those rows
};

/// y := A x by slices of a few block rows. Each warp has slices of its own: it prefetches the next ones to shared
/// memory, also for the next product, so that they arrive while the grid adds up. Some lanes take a row; they read the
/// slice in place, and only x from memory.
///
/// How slices lie in memory is what Slices says: StoredSlices, as the matrix is stored, or DiagonalSlices.
///
/// If several ranks iterate as one, A has this rank's local columns. Products of remote blocks are added last,
/// distributed over all warps (add_other_rows).
///
/// On devices of compute capability 9.0.
template <class Slices>
class SlicedProduct {
 public:
  static constexpr int block_size = Slices::block_size;
  static constexpr int rows_of_slice = Slices::rows_of_slice;  ///< block rows
  static constexpr int most_threads = Slices::most_threads;
  /// Loads of vectors that a thread has in flight: where there are few threads, more.
  static constexpr int entries_in_flight = block_size == 1 ? 2 : 4;

  /// As a thread block's threads see it, from one product to the next.
  class Worker;

  Slices slices;
  SliceRoom room;
  /// True if the slices of the thread blocks of the grid are interleaved, so that all of them are at neighbouring rows
  /// at a time, and x comes from the cache however long it is; else each takes the slices of its own rows: as many as
  /// others, since vectors are gone through between products. (Shares of as many blocks were 5 to 9 % slower on an
  /// H200, where the rows of a grid's first and last plane have fewer.)
  bool is_interleaved = false;

  __host__ __device__ std::int64_t num_slices() const {
    return (slices.a.num_block_rows + rows_of_slice - 1) / rows_of_slice;
  }
};

template <class Slices>
class SlicedProduct<Slices>::Worker {
  using Scalar = typename Slices::Scalar;
  using Layout = typename Slices::Layout;
  static constexpr int B = block_size, H = Slices::lanes_of_row, lanes = 32 / H;

 public:
  /// Prefetches the first slices. `shared` has room.bytes() of shared memory, and begins at a multiple of 128.
  __device__ Worker(const SlicedProduct& product, char* shared) : product_(product), lane_(threadIdx.x % 32) {
    const SliceRoom& room = product.room;
    const int warps = blockDim.x / 32, warp = threadIdx.x / 32;
    const std::int64_t num_block_rows = product.slices.a.num_block_rows, slices = product.num_slices();
    const auto begin = static_cast<int>(slices * blockIdx.x / gridDim.x),
               end = static_cast<int>(slices * (blockIdx.x + 1) / gridDim.x);
    first_block_row_ = begin * rows_of_slice;
    last_block_row_ = end < slices ? end * rows_of_slice : static_cast<int>(num_block_rows);
    first_ = is_own() ? begin + warp : static_cast<int>(blockIdx.x) * warps + warp;
    step_ = is_own() ? warps : warps * static_cast<int>(gridDim.x);
    const int last = is_own() ? end : static_cast<int>(slices);
    count_ = first_ < last ? (last - first_ + step_ - 1) / step_ : 0;
    barriers_ = reinterpret_cast<ArrivalBarrier*>(shared) + warp * room.stages;
    stages_ = shared + room.barrier_bytes(warps) + std::size_t(warp) * room.stages * room.stage_bytes();
    if (lane_ == 0) {
      for (int k = 0; k < room.stages; ++k) barriers_[k].init();
      ArrivalBarrier::publish();
      if (count_ > 0) next_ = product.slices.extent_of(slice_of(0));
      for (int k = 0; k < room.stages && k < count_; ++k) prefetch(k, k);
    }
    __syncwarp();
  }

  /// All threads, of ranks, before the first prepare(): finds which rows have blocks in others' columns, in `others` of
  /// the thread block's shared memory.
  template <class Sync>
  __device__ void look_at_others(const Sync& grid, OthersOfBlock& others) {
    others_ = &others;
    if (!is_added_to(grid)) return;
    if (threadIdx.x == 0) {
      others = {InnerSlices::of(grid.begins_of_others(), product_.slices.a.num_block_rows, rows_of_slice),
                assign_other_rows<B>(grid)};
    }
    __syncthreads();
  }

  /// True if the thread block's threads have multiplied its own block rows, except for remote blocks.
  __device__ bool is_own() const { return !product_.is_interleaved; }
  /// True if others add to them.
  template <class Sync>
  __device__ bool is_added_to(const Sync& grid) const {
    return Sync::is_of_ranks && grid.num_other_rows() > 0;
  }
  /// The block rows of this thread block.
  __device__ std::int64_t first_block_row() const { return first_block_row_; }
  __device__ std::int64_t last_block_row() const { return last_block_row_; }

  /// Before a barrier that comes before the product: prepares the entries that others add to. (If rows in the middle
  /// have remote blocks, too, this is all of y, which is traversed twice more.)
  template <class Sync>
  __device__ void prepare(const Sync& grid) const {
    if (!is_added_to(grid)) return;
    const auto clear = [&](std::int64_t first, std::int64_t last) {  // block rows
      Scalar* const y = product_.slices.a.y;
      for (std::int64_t i = first * B + threadIdx.x; i < last * B; i += blockDim.x) y[i] = Scalar(0);
    };
    const std::int64_t first = first_block_row(), last = last_block_row(),
                       first_inner = std::int64_t(others_->inner.begin) * rows_of_slice,
                       last_inner = std::int64_t(others_->inner.end) * rows_of_slice;
    clear(first, first_inner < last ? first_inner : last);
    clear(last_inner > first ? last_inner : first, last);
  }

  /// The product of the thread block's rows, and the thread's share of x^H y.
  template <class Sync>
  __device__ double multiply(Sync& grid) {
    const Slices& slices = product_.slices;
    const int row = Slices::row_of(lane_);
    double dot = 0;
    for (int k = 0; k < count_; ++k) {
      const int slice = slice_of(k);
      const std::int64_t i = std::int64_t(slice) * (rows_of_slice * B) + row;
      barriers_[stage_].wait(parity_);
      const SliceRoom& room = product_.room;
      Scalar sum = slices.multiply(slice, stages_ + std::size_t(stage_) * room.stage_bytes(), room, lane_);
      for (int offset = lanes; offset < 32; offset *= 2) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
      if (lane_ < lanes && row < rows_of_slice * B && i < slices.a.num_block_rows * B) {
        if (is_added_to(grid) && !others_->inner.has(slice)) {
          atomicAdd(slices.a.y + i, sum);
        } else {
          slices.a.y[i] = sum;
        }
        dot += real_product(slices.a.x[i], sum);
      }
      __syncwarp();  // all lanes have read the stage
      if (stays()) {
        stage_ = stage_after(stage_, count_);  // it came once, and its phase has ended for good
      } else {
        const int ahead = k + room.stages;
        if (lane_ == 0) prefetch(ahead < count_ ? ahead : ahead - count_, stage_);
        leave_stage();
      }
    }
    if constexpr (Sync::is_of_ranks) {
      if (is_added_to(grid)) {
        dot += add_other_rows<B, Layout>(grid, others_->assigned, slices.a.x, slices.a.y);
      }
    }
    return dot;
  }

  /// Waits for the copies in flight, before the thread block ends.
  __device__ void finish() {
    if (stays()) return;
    for (int k = 0; k < product_.room.stages; ++k) {
      barriers_[stage_].wait(parity_);
      leave_stage();
    }
  }

 private:
  /// True if all of the warp's slices stay in shared memory.
  __device__ bool stays() const { return count_ <= product_.room.stages; }

  /// The warp's slices.
  __device__ int slice_of(int k) const { return first_ + k * step_; }

  /// The next of so many stages. (Of one it is known to the compiler: registers are few.)
  __device__ static int stage_after(int stage, int stages) {
    return Slices::most_stages == 1 || stage + 1 == stages ? 0 : stage + 1;
  }

  __device__ void leave_stage() {
    stage_ = stage_after(stage_, product_.room.stages);
    if (stage_ == 0) parity_ ^= 1;
  }

  /// One lane: prefetches the warp's slice number k, of this product or of the next, to a stage. The previous contents
  /// have been used by now, as slices are loaded long before they are needed.
  __device__ void prefetch(int k, int stage) {
    const SliceRoom& room = product_.room;
    product_.slices.copy(slice_of(k), next_, stages_ + stage * room.stage_bytes(), room, barriers_[stage]);
    next_ = product_.slices.extent_of(slice_of(k + 1 < count_ ? k + 1 : 0));
  }

  // Few members: they are in registers all the time, beside the loads in flight. (Arguments of the kernel are not.)
  const SlicedProduct& product_;
  int lane_, first_block_row_, last_block_row_;
  int first_, step_, count_;  // this warp's slices
  OthersOfBlock* others_ = nullptr;
  ArrivalBarrier* barriers_;
  char* stages_;
  int stage_ = 0;
  SliceExtent next_;  // of the slice to be prefetched next
  unsigned parity_ = 0;
};

}  // namespace ashlar::impl
#endif
