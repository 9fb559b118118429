#pragma once

#include <ashlar/operators/persistent_cg.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include <algorithm>
#include <ashlar/base/text.hpp>
#include <ashlar/device/device_cache.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "persistent_cg.hpp"
#include "persistent_kernel.hpp"
#include "resident_cg.hpp"

// How large the grids of the kernels are that iterate CG by themselves, and which of them serves a matrix.

namespace ashlar::impl {

/// The most blocks of any slice of the matrix, by where slices begin. Waits for `exec`.
template <class BeginOf>
std::int64_t largest_slice(const Kokkos::Cuda& exec, const std::int32_t* row_begin, std::int64_t num_slices,
                           const BeginOf& begin_of) {
  std::int64_t largest = 0;
  Kokkos::parallel_reduce(
      "ashlar::persistent_cg[slices]",
      Kokkos::RangePolicy<Kokkos::Cuda, Kokkos::IndexType<std::int64_t>>(exec, 0, num_slices),
      KOKKOS_LAMBDA(std::int64_t k, std::int64_t & most) {
        const std::int64_t count = row_begin[begin_of(k + 1)] - row_begin[begin_of(k)];
        if (count > most) most = count;
      },
      Kokkos::Max<std::int64_t>(largest));
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

/// Of how many thread blocks a thread block keeps sums, where the grid has `blocks` and so many ranks iterate as one.
inline int blocks_of_sums(int blocks, int num_ranks) {
  return num_ranks == 1 ? blocks : num_ranks * GridMemory::most_blocks;
}

/// The grid of a kernel with a SlicedProduct, which is told the room of its slices; no thread blocks where that is not
/// to be had. Waits for `exec`.
template <class Product>
GridShape sliced_grid(const Kokkos::Cuda& exec, Product& product, int most_blocks, int num_ranks) {
  using Value = std::remove_cv_t<std::remove_pointer_t<decltype(product.a.values)>>;
  constexpr int granule = 16, bb = Product::block_size * Product::block_size;
  const auto is_aligned = [](const void* data) { return reinterpret_cast<std::uintptr_t>(data) % granule == 0; };
  const auto& a = product.a;
  if (attribute_of(exec, cudaDevAttrComputeCapabilityMajor) < 9 || !is_aligned(a.values) || !is_aligned(a.col_idx) ||
      !is_aligned(a.row_begin)) {
    return {0, 0, 0};
  }
  const auto room_for = [](std::int64_t bytes) {  // of entries that begin anywhere in a granule
    return static_cast<int>(std::min<std::int64_t>((bytes + granule - 1) / granule * granule + granule, 1 << 24));
  };
  const std::int64_t longest =
      largest_slice(exec, a.row_begin, product.num_slices(), SlicesOfRows{a.num_block_rows, Product::rows_of_slice});
  product.room = {1, room_for(longest * bb * std::int64_t(sizeof(Value))), room_for(longest * 4),
                  room_for((Product::rows_of_slice + 1) * 4)};
  GridShape grid;
  grid.blocks = static_cast<int>(std::clamp<std::int64_t>(product.num_slices() / 8, 1, most_blocks));
  const std::size_t all = attribute_of(exec, cudaDevAttrMaxSharedMemoryPerBlockOptin),
                    room = all - bytes_before_product(blocks_of_sums(grid.blocks, num_ranks));
  // As many warps as there is room for a slice of each, and then another slice: what they take is the first cache's.
  int warps = Product::most_threads / 32;
  const auto fits = [&](int stages) {
    product.room.stages = stages;
    return product.room.bytes(warps) <= room;
  };
  while (warps > 4 && !fits(1)) --warps;
  int stages = 1;
  while (stages < Product::most_stages && fits(stages + 1)) ++stages;
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

/// Calls take(function, work, grid, what it is) with the kernel that keeps the matrix in shared memory or prefetches
/// its slices, for blocks of b x b; returns what that does, or nothing where there is no such kernel. Waits for `exec`.
template <class Sync, int b, class Value, class Layout, class Take>
auto with_prefetching_kernel(const Kokkos::Cuda& exec,
                             const SpmvArguments<Value, Value, std::int32_t, std::int32_t>& arguments, Layout,
                             int num_ranks, const Take& take) {
  using Arguments = SpmvArguments<Value, Value, std::int32_t, std::int32_t>;
  const int most = std::min(attribute_of(exec, cudaDevAttrMultiProcessorCount), GridMemory::most_blocks);
  using Result = std::optional<CgKernelOffer<Kokkos::Cuda>>;
  if (const GridShape grid = resident_grid<b>(exec, arguments, most, num_ranks); grid.blocks > 0) {
    const PersistentFunction<Sync, Arguments, Value> function = resident_cg_kernel<Sync, Value, Layout, b>;
    return Result(take(function, arguments, grid, text("the matrix stays in their scratch memory, b=", b)));
  }
  // Blocks that keep to rows of their own read p several times, unless the cache holds all of it.
  const bool fits = 2 * arguments.num_block_rows * b * std::int64_t(sizeof(Value)) <= device_cache_bytes(exec);
  const auto take_sliced = [&](auto lanes_of_row) {
    using Product = SlicedProduct<Value, Layout, b, lanes_of_row()>;
    const PersistentFunction<Sync, Product, Value> function = persistent_cg_kernel<Sync, Product, Value>;
    if (!has_bulk_copies(function)) return Result();
    Product product{arguments, {}, !fits};
    const GridShape grid = sliced_grid(exec, product, most, num_ranks);
    if (grid.blocks == 0) return Result();
    return Result(take(function, product, grid, text("products by slices", fits ? "" : ", interleaved", ", b=", b)));
  };
  if constexpr (b == 1) {
    if (arguments.num_blocks <= 16 * arguments.num_block_rows) return take_sliced(std::integral_constant<int, 1>());
  }
  return take_sliced(std::integral_constant<int, 2>());
}

}  // namespace ashlar::impl
#endif
