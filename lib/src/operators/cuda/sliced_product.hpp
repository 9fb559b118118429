#pragma once

#include <ashlar/operators/persistent_cg.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include <ashlar/base/real_product.hpp>
#include <ashlar/operators/impl/weighed_slices.hpp>

#include "async_copies.hpp"
#include "rank_sync.hpp"

namespace ashlar::impl {

/// How slices of a matrix lie in shared memory, warp after warp, stage after stage: values, block columns, row
/// pointers.
struct SliceRoom {
  int stages = 0;                                        ///< slices of a warp that are there, or in flight
  int value_bytes = 0, column_bytes = 0, row_bytes = 0;  ///< of the largest slice, multiples of 16

  __host__ __device__ int stage_bytes() const { return value_bytes + column_bytes + row_bytes; }
  __host__ __device__ std::size_t barrier_bytes(int warps) const {
    return (std::size_t(warps) * stages * sizeof(std::uint64_t) + 127) / 128 * 128;
  }
  __host__ __device__ std::size_t bytes(int warps) const {
    return barrier_bytes(warps) + std::size_t(warps) * stages * stage_bytes();
  }
};

/// y := A x by slices of a few block rows. Each warp has slices of its own: it prefetches the next ones to shared
/// memory, also those of the next product, which so come while the grid adds up. H lanes take a
/// row; they read the slice where it lies, and of memory only x.
///
/// Where several ranks iterate as one, A has this rank's own columns, and a warp adds what its rows have in others'
/// slice by slice: when it has asked for its next slice, so that it waits for the halo while that comes. Thread blocks
/// have as many slices as weigh the same then (WeighedSlices): rows with blocks in others' columns lie beside each
/// other.
///
/// For matrices whose arrays begin at multiples of 16 bytes, on devices of compute capability 9.0.
template <class Value, class Layout, int B, int H>
class SlicedProduct {
 public:
  using Arguments = SpmvArguments<Value, Value, std::int32_t, std::int32_t>;
  using layout_type = Layout;
  static constexpr int block_size = B;
  static constexpr int lanes = 32 / H;             ///< of a slice's rows
  static constexpr int rows_of_slice = lanes / B;  ///< block rows
  /// (Measured on two H200: with blocks of 3 and 4, 15 warps are 2 to 4 % faster than 14, and with 1 neither more warps
  /// nor fewer are.)
  static constexpr int most_threads = B == 1 ? 768 : 480;
  /// Slices of a warp in shared memory: more leave too little of it to the first cache, which x needs. (Measured on an
  /// H100: on 128^3 points of the 11-point stencil 24 warps with 1 slice took 169 us an iteration, with 2 174 us, with
  /// 4 219 us, and 16 warps 177 us or more.)
  static constexpr int most_stages = H == 1 ? 1 : 2;
  /// Loads of vectors that a thread has in flight: where there are few threads, more.
  static constexpr int entries_in_flight = B == 1 ? 2 : 4;
  static_assert(rows_of_slice > 0);

  /// As a thread block's threads see it, from one product to the next.
  class Worker;

  Arguments a;
  SliceRoom room;
  /// Whether the slices of the thread blocks of the grid are interleaved, so that all of them are at neighbouring rows
  /// at a time, and x comes from the cache however long it is; else each takes the slices of its own rows.
  bool is_interleaved = false;

  __host__ __device__ std::int64_t num_slices() const { return (a.num_block_rows + rows_of_slice - 1) / rows_of_slice; }
};

template <class Value, class Layout, int B, int H>
class SlicedProduct<Value, Layout, B, H>::Worker {
 public:
  /// Prefetches the first slices. `shared` has room.bytes() of shared memory, and begins at a multiple of 128.
  template <class Sync>
  __device__ Worker(const SlicedProduct& product, char* shared, [[maybe_unused]] const Sync& grid)
      : a_(product.a), room_(product.room), warp_(threadIdx.x / 32), lane_(threadIdx.x % 32) {
    const int warps = blockDim.x / 32;
    const std::int64_t slices = product.num_slices();
    auto begin = static_cast<int>(slices * blockIdx.x / gridDim.x),
         end = static_cast<int>(slices * (blockIdx.x + 1) / gridDim.x);
    if constexpr (Sync::is_of_ranks) {
      if (grid.has_others(0, a_.num_block_rows)) {
        const WeighedSlices weighed{a_.row_begin, grid.begins_of_others(), a_.num_block_rows, rows_of_slice};
        begin = weighed.first_of_share(blockIdx.x, gridDim.x);
        end = weighed.first_of_share(blockIdx.x + 1, gridDim.x);
      }
    }
    first_block_row_ = std::int64_t(begin) * rows_of_slice;
    last_block_row_ =
        std::int64_t(end) * rows_of_slice < a_.num_block_rows ? std::int64_t(end) * rows_of_slice : a_.num_block_rows;
    is_own_ = !product.is_interleaved;
    first_ = is_own_ ? begin + warp_ : static_cast<int>(blockIdx.x) * warps + warp_;
    step_ = is_own_ ? warps : warps * static_cast<int>(gridDim.x);
    const int last = is_own_ ? end : static_cast<int>(slices);
    count_ = first_ < last ? (last - first_ + step_ - 1) / step_ : 0;
    stays_ = count_ <= room_.stages;
    if constexpr (Sync::is_of_ranks) {
      has_others_ = is_own_ ? begin < end && grid.has_others(first_block_row_, last_block_row_)
                            : grid.has_others(0, a_.num_block_rows);
    }
    barriers_ = reinterpret_cast<ArrivalBarrier*>(shared) + warp_ * room_.stages;
    stages_ = shared + room_.barrier_bytes(warps) + std::size_t(warp_) * room_.stages * room_.stage_bytes();
    if (lane_ == 0) {
      for (int k = 0; k < room_.stages; ++k) barriers_[k].init();
      ArrivalBarrier::publish();
      if (count_ > 0) look_up_next();
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
    constexpr int in_flight = B == 1 ? 7 : B <= 3 ? 4 : 2;  // blocks whose x a lane loads before it uses the first
    const int half = lane_ / lanes, place = lane_ % lanes, row_of_slice = place / B, row = place % B;
    double dot = 0;
    for (int k = 0; k < count_; ++k) {
      const std::int64_t first_row = std::int64_t(first_ + k * step_) * rows_of_slice;
      barriers_[stage_].wait(parity_);
      const char* const at = stages_ + std::size_t(stage_) * room_.stage_bytes();
      const auto* const rows =
          reinterpret_cast<const std::int32_t*>(at + room_.value_bytes + room_.column_bytes) + first_row % granule_rows;
      const std::int32_t begin_of_slice = rows[0];
      const auto* const values =
          reinterpret_cast<const Value*>(at) + unsigned(begin_of_slice) * (B * B) % granule_values;
      const auto* const cols =
          reinterpret_cast<const std::int32_t*>(at + room_.value_bytes) + unsigned(begin_of_slice) % granule_rows;
      const bool is_there = row_of_slice < rows_of_slice && first_row + row_of_slice < a_.num_block_rows;
      const int begin = is_there ? rows[row_of_slice] - begin_of_slice : 0,
                end = is_there ? rows[row_of_slice + 1] - begin_of_slice : 0;
      Value sum(0);
      for (int j = begin + half; j < end; j += H * in_flight) {
        Value x[in_flight][B];
#pragma unroll
        for (int u = 0; u < in_flight; ++u) {
          if (j + u * H < end) {
            const Value* const of_block = a_.x + std::int64_t(cols[j + u * H]) * B;
#pragma unroll
            for (int c = 0; c < B; ++c) x[u][c] = of_block[c];
          }
        }
#pragma unroll
        for (int u = 0; u < in_flight; ++u) {
          if (j + u * H < end) {
            const Value* const block = values + (j + u * H) * (B * B);
#pragma unroll
            for (int c = 0; c < B; ++c) sum += block[Layout::at(row, c, B, B)] * x[u][c];
          }
        }
      }
      for (int offset = lanes; offset < 32; offset *= 2) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
      if (is_there && half == 0) {
        const std::int64_t i = (first_row + row_of_slice) * B + row;
        a_.y[i] = sum;
        dot += real_product(a_.x[i], sum);
      }
      __syncwarp();  // all lanes have read the stage
      if (stays_) {
        stage_ = stage_after(stage_, count_);  // it came once, and its phase has ended for good
      } else {
        if (lane_ == 0) prefetch();
        leave_stage();
      }
      if constexpr (Sync::is_of_ranks) {
        if (has_others_) dot += add_others(grid, first_row);
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
  static constexpr int granule = 16, granule_values = granule / int(sizeof(Value)), granule_rows = granule / 4;

  /// Which entries of an array come, so that they are whole granules: from the first that is wanted, or a few before
  /// it, to the last, or a few behind it, as far as there are any.
  struct Run {
    std::int64_t begin;  // an entry that a granule begins with
    int count;           // entries of whole granules
    int rest;            // wanted, behind the array's last whole granule
  };
  template <class Entry>
  static __device__ Run run_of(std::int64_t first, std::int64_t last, std::int64_t all) {
    constexpr int entries = granule / sizeof(Entry);
    const std::int64_t begin = first & ~std::int64_t(entries - 1);
    const int wanted = (static_cast<int>(last - begin) + entries - 1) & ~(entries - 1);
    if (begin + wanted <= all) return {begin, wanted, 0};
    const int whole = static_cast<int>(all - begin) & ~(entries - 1);
    return {begin, whole, static_cast<int>(last - begin) - whole};
  }

  /// The next of so many stages. (Of one it is known to the compiler: registers are few.)
  __device__ static int stage_after(int stage, int stages) {
    return most_stages == 1 || stage + 1 == stages ? 0 : stage + 1;
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
    if (place / B < rows_of_slice && block_row < a_.num_block_rows) others = grid.others_of(block_row);
    const bool has_any = others.begin < others.end;
    if (__any_sync(0xffffffffu, has_any) == 0) return 0;
    others.begin += half;
    Value sum = grid.template multiply_others<B, Layout>(others, H, row);
    for (int offset = lanes; offset < 32; offset *= 2) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
    if (!has_any || half != 0) return 0;
    const std::int64_t i = block_row * B + row;
    a_.y[i] += sum;
    return real_product(a_.x[i], sum);
  }

  /// One lane: prefetches the next slice, of this product or of the one after; where it begins and ends has come by
  /// now.
  __device__ void prefetch() {
    const std::int64_t first = std::int64_t(first_ + prefetched_ * step_) * rows_of_slice;
    const std::int64_t last = first + rows_of_slice < a_.num_block_rows ? first + rows_of_slice : a_.num_block_rows;
    constexpr int values_of_block = B * B;
    const Run values = run_of<Value>(std::int64_t(next_begin_) * values_of_block,
                                     std::int64_t(next_end_) * values_of_block, a_.num_blocks * values_of_block);
    const Run cols = run_of<std::int32_t>(next_begin_, next_end_, a_.num_blocks);
    const Run rows = run_of<std::int32_t>(first, last + 1, a_.num_block_rows + 1);
    char* const to = stages_ + prefetched_stage_ * room_.stage_bytes();
    // What is no whole granule is written at once, and seen with the end of the phase.
    copy_rest(to, a_.values, values);
    copy_rest(to + room_.value_bytes, a_.col_idx, cols);
    copy_rest(to + room_.value_bytes + room_.column_bytes, a_.row_begin, rows);
    ArrivalBarrier& barrier = barriers_[prefetched_stage_];
    const unsigned value_bytes = values.count * sizeof(Value), col_bytes = cols.count * 4, row_bytes = rows.count * 4;
    barrier.arrive_and_expect(value_bytes + col_bytes + row_bytes);
    const std::uint64_t policy = a_.hint.policy();
    if (value_bytes > 0) barrier.copy(to, a_.values + values.begin, value_bytes, policy);
    if (col_bytes > 0) barrier.copy(to + room_.value_bytes, a_.col_idx + cols.begin, col_bytes, policy);
    if (row_bytes > 0) {
      barrier.copy(to + room_.value_bytes + room_.column_bytes, a_.row_begin + rows.begin, row_bytes, policy);
    }
    prefetched_stage_ = stage_after(prefetched_stage_, room_.stages);
    if (++prefetched_ == count_) prefetched_ = 0;
    look_up_next();
  }

  /// Where the slice to be prefetched next begins and ends: loaded long before it is needed.
  __device__ void look_up_next() {
    const std::int64_t first = std::int64_t(first_ + prefetched_ * step_) * rows_of_slice;
    const std::int64_t last = first + rows_of_slice < a_.num_block_rows ? first + rows_of_slice : a_.num_block_rows;
    next_begin_ = a_.row_begin[first];
    next_end_ = a_.row_begin[last];
  }

  template <class Entry>
  __device__ static void copy_rest(char* to, const Entry* from, const Run& run) {
    for (int k = run.count; k < run.count + run.rest; ++k) reinterpret_cast<Entry*>(to)[k] = from[run.begin + k];
  }

  const Arguments& a_;
  SliceRoom room_;
  int warp_, lane_;
  std::int64_t first_block_row_, last_block_row_;
  int first_, step_, count_;  // this warp's slices
  bool is_own_, stays_;       // whether they are of the thread block's rows; whether all of them stay in shared memory
  bool has_others_ = false;   // whether rows of them have blocks in others' columns
  ArrivalBarrier* barriers_;
  char* stages_;
  int prefetched_ = 0, prefetched_stage_ = 0, stage_ = 0;
  std::int32_t next_begin_ = 0, next_end_ = 0;  // of the slice to be prefetched next
  unsigned parity_ = 0;
};

}  // namespace ashlar::impl
#endif
