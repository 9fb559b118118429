#pragma once

#include <ashlar/operators/persistent_cg.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include <ashlar/base/real_product.hpp>
#include <ashlar/operators/impl/inner_slices.hpp>
#include <ashlar/operators/impl/weighed_slices.hpp>
#include <type_traits>

#include "async_copies.hpp"
#include "rank_sync.hpp"
#include "slice_room.hpp"

namespace ashlar::impl {

/// y := A x by slices of a few block rows. Each warp has slices of its own: it prefetches the next ones to shared
/// memory, also those of the next product, which so come while the grid adds up. Some lanes take a row; they read the
/// slice where it lies, and of memory only x.
///
/// How slices lie in memory is what Slices says: StoredSlices, as the matrix is stored, or DiagonalSlices.
///
/// Where several ranks iterate as one, A has this rank's own columns, and a warp adds what its rows have in others'
/// slice by slice: when it has asked for its next slice, so that it waits for the halo while that comes. The rows of
/// thread blocks weigh the same then (WeighedSlices): those with blocks in others' columns lie beside each other.
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
  /// Whether the slices of the thread blocks of the grid are interleaved, so that all of them are at neighbouring rows
  /// at a time, and x comes from the cache however long it is; else each takes the slices of its own rows.
  bool is_interleaved = false;

  __host__ __device__ std::int64_t num_slices() const {
    return (slices.a.num_block_rows + rows_of_slice - 1) / rows_of_slice;
  }
};

template <class Slices>
class SlicedProduct<Slices>::Worker {
  using Value = typename Slices::Value;
  using Layout = typename Slices::Layout;
  static constexpr int B = block_size, H = Slices::lanes_of_row, lanes = 32 / H;

 public:
  /// Prefetches the first slices. `shared` has room.bytes() of shared memory, and begins at a multiple of 128.
  template <class Sync>
  __device__ Worker(const SlicedProduct& product, char* shared, [[maybe_unused]] const Sync& grid)
      : slices_(product.slices), room_(product.room), warp_(threadIdx.x / 32), lane_(threadIdx.x % 32) {
    const int warps = blockDim.x / 32;
    const std::int64_t slices = product.num_slices(), num_block_rows = slices_.a.num_block_rows;
    auto begin = static_cast<int>(slices * blockIdx.x / gridDim.x),
         end = static_cast<int>(slices * (blockIdx.x + 1) / gridDim.x);
    if constexpr (Sync::is_of_ranks) {
      if (grid.has_others(0, num_block_rows)) {
        const WeighedSlices weighed{slices_.a.row_begin, grid.begins_of_others(), num_block_rows, rows_of_slice,
                                    Slices::weight_of_others};
        begin = weighed.first_of_share(blockIdx.x, gridDim.x);
        end = weighed.first_of_share(blockIdx.x + 1, gridDim.x);
      }
    }
    first_block_row_ = std::int64_t(begin) * rows_of_slice;
    last_block_row_ =
        std::int64_t(end) * rows_of_slice < num_block_rows ? std::int64_t(end) * rows_of_slice : num_block_rows;
    is_own_ = !product.is_interleaved;
    first_ = is_own_ ? begin + warp_ : static_cast<int>(blockIdx.x) * warps + warp_;
    step_ = is_own_ ? warps : warps * static_cast<int>(gridDim.x);
    const int last = is_own_ ? end : static_cast<int>(slices);
    count_ = first_ < last ? (last - first_ + step_ - 1) / step_ : 0;
    stays_ = count_ <= room_.stages;
    if constexpr (Sync::is_of_ranks) {
      has_others_ = is_own_ ? begin < end && grid.has_others(first_block_row_, last_block_row_)
                            : grid.has_others(0, num_block_rows);
      // (Rows at either end need something of others, which has come when the warp comes there from the middle.)
      if (has_others_) {
        start_ = count_ / 2;
        inner_ = InnerSlices::of(grid.begins_of_others(), num_block_rows, rows_of_slice);
      }
    }
    barriers_ = reinterpret_cast<ArrivalBarrier*>(shared) + warp_ * room_.stages;
    stages_ = shared + room_.barrier_bytes(warps) + std::size_t(warp_) * room_.stages * room_.stage_bytes();
    if (lane_ == 0) {
      for (int k = 0; k < room_.stages; ++k) barriers_[k].init();
      ArrivalBarrier::publish();
      if (count_ > 0) next_ = slices_.extent_of(slice_of(0));
      for (int k = 0; k < room_.stages && k < count_; ++k) prefetch();
    }
    __syncwarp();
  }

  /// Whether the thread block's threads have multiplied the block rows that are its own.
  __device__ bool is_own() const { return is_own_; }
  /// The block rows of this thread block.
  __device__ std::int64_t first_block_row() const { return first_block_row_; }
  __device__ std::int64_t last_block_row() const { return last_block_row_; }

  /// The product of the thread block's rows, and the thread's share of x^H y.
  template <class Sync>
  __device__ double multiply([[maybe_unused]] Sync& grid) {
    const int place = lane_ % lanes;
    double dot = 0;
    for (int k = 0; k < count_; ++k) {
      const int slice = slice_of(k);
      const std::int64_t block_row = std::int64_t(slice) * rows_of_slice + place / B;
      barriers_[stage_].wait(parity_);
      Value sum = slices_.multiply(slice, stages_ + std::size_t(stage_) * room_.stage_bytes(), room_, lane_);
      for (int offset = lanes; offset < 32; offset *= 2) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
      if (place / B < rows_of_slice && block_row < slices_.a.num_block_rows && lane_ < lanes) {
        const std::int64_t i = block_row * B + place % B;
        slices_.a.y[i] = sum;
        dot += real_product(slices_.a.x[i], sum);
      }
      __syncwarp();  // all lanes have read the stage
      if (stays_) {
        stage_ = stage_after(stage_, count_);  // it came once, and its phase has ended for good
      } else {
        if (lane_ == 0) prefetch();
        leave_stage();
      }
      if constexpr (Sync::is_of_ranks) {
        // (That inner slices have none is known without a look at their rows, for which each slice would wait.)
        if (has_others_ && !inner_.has(slice)) dot += add_others(grid, std::int64_t(slice) * rows_of_slice);
      }
    }
    return dot;
  }

  /// Waits for the copies in flight, before the thread block ends.
  __device__ void finish() {
    if (stays_) return;
    for (int k = 0; k < room_.stages; ++k) {
      barriers_[stage_].wait(parity_);
      leave_stage();
    }
  }

 private:
  /// The warp's slices in its order.
  __device__ int slice_of(int k) const {
    const int at = k + start_;
    return first_ + (at < count_ ? at : at - count_) * step_;
  }

  /// The next of so many stages. (Of one it is known to the compiler: registers are few.)
  __device__ static int stage_after(int stage, int stages) {
    return Slices::most_stages == 1 || stage + 1 == stages ? 0 : stage + 1;
  }

  __device__ void leave_stage() {
    stage_ = stage_after(stage_, room_.stages);
    if (stage_ == 0) parity_ ^= 1;
  }

  /// All lanes, behind the product with a slice: y += what its rows have in others' columns. Returns the thread's share
  /// of x^H times that.
  template <class Sync>
  __device__ double add_others(Sync& grid, std::int64_t first_row) {
    const int half = lane_ / lanes, place = lane_ % lanes, row = place % B;
    const std::int64_t block_row = first_row + place / B;
    PlaceRun others;
    if (place / B < rows_of_slice && block_row < slices_.a.num_block_rows) others = grid.others_of(block_row);
    const bool has_any = others.begin < others.end;
    if (__any_sync(0xffffffffu, has_any) == 0) return 0;
    others.begin += half;
    Value sum = grid.template multiply_others<B, Layout>(others, H, row);
    for (int offset = lanes; offset < 32; offset *= 2) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
    if (!has_any || half != 0) return 0;
    const std::int64_t i = block_row * B + row;
    slices_.a.y[i] += sum;
    return real_product(slices_.a.x[i], sum);
  }

  /// One lane: prefetches the next slice, of this product or of the one after; what it holds has come by now, as that
  /// is loaded long before it is needed.
  __device__ void prefetch() {
    slices_.copy(slice_of(prefetched_), next_, stages_ + prefetched_stage_ * room_.stage_bytes(), room_,
                 barriers_[prefetched_stage_]);
    prefetched_stage_ = stage_after(prefetched_stage_, room_.stages);
    if (++prefetched_ == count_) prefetched_ = 0;
    next_ = slices_.extent_of(slice_of(prefetched_));
  }

  const Slices& slices_;
  SliceRoom room_;
  int warp_, lane_;
  std::int64_t first_block_row_, last_block_row_;
  int first_, step_, count_, start_ = 0;  // this warp's slices, and with which of them it begins
  bool is_own_, stays_;      // whether they are of the thread block's rows; whether all of them stay in shared memory
  bool has_others_ = false;  // whether rows of them have blocks in others' columns
  InnerSlices inner_;        // of which none has
  ArrivalBarrier* barriers_;
  char* stages_;
  int prefetched_ = 0, prefetched_stage_ = 0, stage_ = 0;
  SliceExtent next_;  // of the slice to be prefetched next
  unsigned parity_ = 0;
};

}  // namespace ashlar::impl
#endif
