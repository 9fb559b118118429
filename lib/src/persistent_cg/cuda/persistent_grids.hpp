#pragma once

#include <ashlar/persistent_cg/one_device.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include <algorithm>
#include <ashlar/base/text.hpp>
#include <ashlar/device/loads/cache_hint.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>

#include "diagonal_copy.hpp"
#include "persistent_cg.hpp"
#include "persistent_kernel.hpp"
#include "resident_cg.hpp"
#include "stored_slices.hpp"

// How large the grids of the kernels are that iterate CG by themselves, and which of them serves a matrix.

namespace ashlar::impl {

/// How many blocks a slice has, by where slices begin; of these the most are wanted. (A functor, as nvcc 13 mixes up a
/// lambda for host and device that two files share.)
template <class BeginOf>
struct BlocksOfSlice {
  const std::int32_t* row_begin;
  BeginOf begin_of;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t k, std::int64_t& most) const {
    const std::int64_t count = row_begin[begin_of(k + 1)] - row_begin[begin_of(k)];
    if (count > most) most = count;
  }
};

/// The most blocks of any slice of the matrix, by where slices begin. Waits for `exec`.
template <class BeginOf>
std::int64_t largest_slice(const Kokkos::Cuda& exec, const std::int32_t* row_begin, std::int64_t num_slices,
                           const BeginOf& begin_of) {
  std::int64_t largest = 0;
  Kokkos::parallel_reduce("ashlar::persistent_cg[slices]",
                          Kokkos::RangePolicy<Kokkos::Cuda, Kokkos::IndexType<std::int64_t>>(exec, 0, num_slices),
                          BlocksOfSlice<BeginOf>{row_begin, begin_of}, Kokkos::Max<std::int64_t>(largest));
  exec.fence("ashlar::persistent_cg: slices");
  return largest;
}

/// Where slices begin that are equal shares, or of so many block rows.
struct EqualShares {
  std::int64_t num_block_rows, count;
  KOKKOS_INLINE_FUNCTION std::int64_t operator()(std::int64_t k) const { return num_block_rows * k / count; }
};
struct SlicesOfRows {
  std::int64_t num_block_rows, rows;
  KOKKOS_INLINE_FUNCTION std::int64_t operator()(std::int64_t k) const {
    return k * rows < num_block_rows ? k * rows : num_block_rows;
  }
};

/// The number of thread blocks whose sums a thread block keeps, if the grid has `blocks` and this number of ranks
/// iterate as one.
inline int blocks_of_sums(int blocks, int num_ranks) {
  return num_ranks == 1 ? blocks : num_ranks * GridMemory::most_blocks;
}

/// Tells a product the room of its slices as stored; whether it is served. Waits for `exec`.
template <class Value, class Scalar, class Layout, int B, int H, int in_flight>
bool find_room(const Kokkos::Cuda& exec, SlicedProduct<StoredSlices<Value, Scalar, Layout, B, H, in_flight>>& product) {
  constexpr int granule = SliceRoom::granule;
  const auto is_aligned = [](const void* data) { return reinterpret_cast<std::uintptr_t>(data) % granule == 0; };
  const auto& a = product.slices.a;
  if (!is_aligned(a.values) || !is_aligned(a.col_idx) || !is_aligned(a.row_begin)) return false;
  const auto room_for = [](std::int64_t bytes) {  // of entries that begin anywhere in a granule
    return static_cast<int>(std::min<std::int64_t>((bytes + granule - 1) / granule * granule + granule, 1 << 24));
  };
  const std::int64_t longest =
      largest_slice(exec, a.row_begin, product.num_slices(), SlicesOfRows{a.num_block_rows, product.rows_of_slice});
  product.room = {1, room_for(longest * B * B * std::int64_t(sizeof(Value))), room_for(longest * 4),
                  room_for((product.rows_of_slice + 1) * 4)};
  return true;
}

/// The grid of a kernel with a SlicedProduct, whose slices have `product.room`, and of which it is told how many a warp
/// may have there; no thread blocks where they do not fit.
template <class Slices>
GridShape sliced_grid(const Kokkos::Cuda& exec, SlicedProduct<Slices>& product, int most_blocks, int num_ranks) {
  GridShape grid;
  grid.blocks = static_cast<int>(std::clamp<std::int64_t>(product.num_slices() / 8, 1, most_blocks));
  const std::size_t all = attribute_of(exec, cudaDevAttrMaxSharedMemoryPerBlockOptin),
                    room = all - bytes_before_product(blocks_of_sums(grid.blocks, num_ranks));
  // One warp per slice that there is room for, then another slice: their memory is taken from the first cache.
  int warps = Slices::most_threads / 32;
  const auto fits = [&](int stages) {
    product.room.stages = stages;
    return product.room.bytes(warps) <= room;
  };
  while (warps > 4 && !fits(1)) --warps;
  int stages = 1;
  while (stages < Slices::most_stages && fits(stages + 1)) ++stages;
  if (!fits(stages)) return {0, 0, 0};
  grid.threads = 32 * warps;
  grid.shared_bytes = bytes_before_product(blocks_of_sums(grid.blocks, num_ranks)) + product.room.bytes(warps);
  return grid;
}

/// The grid of resident_cg_kernel; no thread blocks where the matrix is too large for it.
template <int B, class Arguments>
GridShape resident_grid(const Kokkos::Cuda& exec, const Arguments& a, int most_blocks, int num_ranks) {
  using Value = std::remove_cv_t<std::remove_pointer_t<decltype(a.values)>>;
  constexpr int most_threads = 1024, fewest_threads = 256;
  const std::size_t room = attribute_of(exec, cudaDevAttrMaxSharedMemoryPerBlockOptin);
  const auto blocks = static_cast<int>(std::clamp<std::int64_t>(a.num_block_rows * B / 64, 1, most_blocks));
  const std::int64_t rows = (a.num_block_rows + blocks - 1) / blocks * B;
  const int sums = blocks_of_sums(blocks, num_ranks);
  if (rows > most_threads || resident_bytes<Value, B>(sums, a.num_blocks / blocks) > room) return {0, 0, 0};
  const std::size_t bytes =
      resident_bytes<Value, B>(sums, largest_slice(exec, a.row_begin, blocks, EqualShares{a.num_block_rows, blocks}));
  if (bytes > room) return {0, 0, 0};
  return {blocks, std::max(static_cast<int>((rows + 31) / 32 * 32), fewest_threads), bytes};
}

/// Calls take(function, work, grid, description, owner of its memory) with the kernel that keeps the matrix in shared
/// memory, or prefetches its slices, for blocks of b x b, by diagonals if a copy of no more than `copy_bytes` is worth
/// it. Returns the result, or nothing if there is no such kernel. Waits for `exec`.
template <class Sync, int b, class Value, class Scalar, class Layout, class Take>
auto with_prefetching_kernel(const Kokkos::Cuda& exec,
                             const SpmvArguments<Value, Scalar, std::int32_t, std::int32_t>& arguments, Layout,
                             int num_ranks, std::uint64_t copy_bytes, const Take& take) {
  constexpr bool is_of_one_type = std::is_same_v<Value, Scalar>;  // else the matrix is taken as it is stored
  using Result = std::optional<CgKernelOffer<Kokkos::Cuda>>;
  const int most = std::min(attribute_of(exec, cudaDevAttrMultiProcessorCount), GridMemory::most_blocks);
  if constexpr (is_of_one_type) {
    using Arguments = SpmvArguments<Value, Value, std::int32_t, std::int32_t>;
    if (const GridShape grid = resident_grid<b>(exec, arguments, most, num_ranks); grid.blocks > 0) {
      const PersistentFunction<Sync, Arguments, Value> function = resident_cg_kernel<Sync, Value, Layout, b>;
      return Result(take(function, arguments, grid, text("the matrix stays in their scratch memory, b=", b), nullptr));
    }
  }
  if (attribute_of(exec, cudaDevAttrComputeCapabilityMajor) < 9) return Result();
  // Blocks that keep to rows of their own read p several times, unless the cache holds all of it.
  const bool fits = 2 * arguments.num_block_rows * b * std::int64_t(sizeof(Scalar)) <= device_cache_bytes(exec);
  const char* const order = fits ? "" : ", interleaved";
  [[maybe_unused]] const auto take_diagonals = [&](const DiagonalCopy<Value>& copy, auto in_flight) {
    auto product = copy.template product<Layout, in_flight()>(arguments);
    using Product = decltype(product);
    const PersistentFunction<Sync, Product, Value> function = persistent_cg_kernel<Sync, Product, Value>;
    product.is_interleaved = !fits;
    const GridShape grid = sliced_grid(exec, product, most, num_ranks);
    if (grid.blocks == 0) return Result();
    return Result(take(function, product, grid, text("products by diagonals of slices", order, ", b=1"),
                       std::make_shared<DiagonalCopy<Value>>(copy)));
  };
  if constexpr (b == 1 && is_of_one_type) {
    using Product = SlicedProduct<DiagonalSlices<Value, Layout, 11>>;  // either tells for what it was compiled
    const bool is_served = has_bulk_copies(persistent_cg_kernel<Sync, Product, Value>);
    if (const auto copy = make_diagonal_copy(exec, arguments, is_served ? copy_bytes : 0)) {
      // (Measured on an H200: 11 diagonals by 11 take 740 us where they take 764 by 6; 27 by 14 as long as by 9.)
      auto taken = copy->most_diagonals <= 16 ? take_diagonals(*copy, std::integral_constant<int, 11>())
                                              : take_diagonals(*copy, std::integral_constant<int, 14>());
      if (taken) return taken;
    }
  }
  const auto take_sliced = [&](auto lanes_of_row, auto in_flight) {
    using Product = SlicedProduct<StoredSlices<Value, Scalar, Layout, b, lanes_of_row(), in_flight()>>;
    const PersistentFunction<Sync, Product, Scalar> function = persistent_cg_kernel<Sync, Product, Scalar>;
    if (!has_bulk_copies(function)) return Result();
    Product product{{arguments}, {}, !fits};
    if (!find_room(exec, product)) return Result();
    const GridShape grid = sliced_grid(exec, product, most, num_ranks);
    if (grid.blocks == 0) return Result();
    return Result(take(function, product, grid, text("products by slices", order, ", b=", b), nullptr));
  };
  const auto has_rows_of_at_most = [&](int blocks) {  // on average
    return arguments.num_blocks <= blocks * arguments.num_block_rows;
  };
  constexpr std::integral_constant<int, 1> one_lane{};
  constexpr std::integral_constant<int, 2> two_lanes{};
  constexpr std::integral_constant<int, 7> few_loads{};
  if constexpr (b == 1) {
    if (has_rows_of_at_most(16)) return take_sliced(one_lane, few_loads);
  }
  // (Measured on two H200, us an iteration. 27 blocks of 3x3 a row: 99 with 14 loads in flight and 109 with 7 where
  // columns lie apart, else 93 with either. 11 a row: 58 and 54. Blocks of 4x4: as long with 5, 7 and 9.)
  if constexpr (b == 3) {
    if (!has_rows_of_at_most(14)) return take_sliced(two_lanes, std::integral_constant<int, 14>());
  }
  return take_sliced(two_lanes, few_loads);
}

}  // namespace ashlar::impl
#endif
