#include <ashlar/operators/persistent_cg.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include <algorithm>
#include <ashlar/base/text.hpp>
#include <ashlar/device/cuda_check.hpp>
#include <ashlar/device/device_cache.hpp>
#include <memory>
#include <string>
#include <utility>

#include "cuda/persistent_grids.hpp"
#include "cuda/sectors_of_vector.hpp"

namespace ashlar::impl {

namespace {

/// Why kernels for each step are faster, or nothing. Slices in shared memory leave little of the first cache to x,
/// which rows whose columns lie apart need: a million sectors of x, above half a one for each block, cost slices 6 us.
/// (Measured on an H200, us by one kernel and by a graph, with sectors a block: 27-point grids of blocks of 3, 184 and
/// 201 with 0.40, and with scattered numbers, 1.17, for 36^3 points 35 and 37, 44^3 63 and 57, 60^3 149 and 137, 68^3
/// 217 and 204; of blocks of 4, 164 and 180 with 0.49, and with 0.99 within 5 % for 32^3 to 56^3 points; the 11-point
/// stencil with these, 77 and 85 with 0.59. Single values with scattered numbers are faster by one kernel, 71 and 97
/// with 0.46; what lies further apart was not measured.)
/// Slices by diagonals are not asked: their rows read neighbours of each other.
template <class Work>
std::string why_slower(const Kokkos::Cuda& exec, const Work& work) {
  if constexpr (requires { sectors_of_block(exec, work); }) {
    constexpr double most_sectors = 1.2e6;
    if (Work::block_size > 1 &&
        (sectors_of_block(exec, work) - 0.5) * double(work.slices.a.num_blocks) > most_sectors) {
      return "columns lie so far apart that a kernel for each step, whose cache holds more of the vector, is faster";
    }
  }
  return "";
}

/// The kernel, or why its thread blocks cannot all be on the device at once. `why_slower`, if anything, says why
/// kernels for each step are faster.
template <class Work, class Value>
CgKernelOffer<Kokkos::Cuda> offer(const Kokkos::Cuda& exec, PersistentFunction<LoneSync, Work, Value> function,
                                  const Work& work, const GridShape& grid, const DiagonalInverse<Value>& inverse,
                                  const CgPlace<Value>& place, std::string product, std::shared_ptr<const void> kept,
                                  std::string why_slower) {
  if (std::string why = why_not_together(exec, function, grid); !why.empty()) return {nullptr, why, false};
  const bool is_worth_it = why_slower.empty();
  return {
      std::make_unique<PersistentKernel<LoneSync, Work, Value>>(exec, function, work, grid, inverse, LoneSync::Ranks{},
                                                                nullptr, place, std::move(product), std::move(kept)),
      std::move(why_slower), is_worth_it};
}

}  // namespace

template <class Value, class Layout>
requires std::is_floating_point_v<Value> CgKernelOffer<Kokkos::Cuda>
PersistentCg<Kokkos::Cuda, Value, Layout, std::int32_t, std::int32_t>::make(const Kokkos::Cuda& exec,
                                                                            const Arguments& given, TileShape tile,
                                                                            const DiagonalInverse<Value>& inverse,
                                                                            const CgPlace<Value>& place) {
  if (std::string why = why_not_persistent(exec); !why.empty()) return {nullptr, why, false};
  if (place.n == 0) return {nullptr, "there are no rows", false};
  cuda_check(cudaSetDevice(exec.cuda_device()), "cudaSetDevice");
  Arguments arguments = given;
  arguments.x = place.p;
  arguments.y = place.q;
  CgKernelOffer<Kokkos::Cuda> result{nullptr, "the block size is none that is compiled in", false};
  with_block_size(arguments.block_shape, [&](auto block_size) {
    constexpr int b = block_size();
    if constexpr (b > 0 && b <= largest_team_product_block) {
      const auto take = [&](auto function, const auto& work, const GridShape& grid, std::string product,
                            std::shared_ptr<const void> kept) {
        return offer(exec, function, work, grid, inverse, place, std::move(product), std::move(kept),
                     why_slower(exec, work));
      };
      if (auto found = with_prefetching_kernel<LoneSync, b>(exec, arguments, Layout(), 1, place.copy_bytes, take)) {
        result = std::move(*found);
        if (result.kernel) return;
      }
      using Product = TeamProduct<Value, Layout, std::int32_t, std::int32_t, b, Kokkos::Cuda>;
      result.why_not = "slices of it cannot be copied on this device, or from where its arrays begin";
      if constexpr (Product::is_served && !Product::by_tile) {
        using Teams = GridTeams<Product>;
        const int most = std::min(attribute_of(exec, cudaDevAttrMultiProcessorCount), GridMemory::most_blocks);
        GridShape grid{.threads = Teams::most_threads};
        const int teams = grid.threads / Product::threads;
        const Product product(arguments, tile, std::int64_t(most) * teams);
        grid.blocks = static_cast<int>(std::clamp<std::int64_t>((product.num_places() + teams - 1) / teams, 1, most));
        grid.shared_bytes = bytes_before_product(grid.blocks) + teams * product.scratch_bytes();
        const PersistentFunction<LoneSync, Teams, Value> function = persistent_cg_kernel<LoneSync, Teams, Value>;
        const bool fits = 2 * place.n * std::int64_t(sizeof(Value)) <= device_cache_bytes(exec);
        result = offer(
            exec, function, Teams{product}, grid, inverse, place, text("products ", Product::describe(), ",b=", b),
            nullptr, fits ? "" : "the vectors are too large for the device's cache: a kernel for each step is faster");
      }
    }
  });
  return result;
}

template struct PersistentCg<Kokkos::Cuda, double, BlockColumnMajor, std::int32_t, std::int32_t>;
template struct PersistentCg<Kokkos::Cuda, double, BlockRowMajor, std::int32_t, std::int32_t>;
template struct PersistentCg<Kokkos::Cuda, float, BlockColumnMajor, std::int32_t, std::int32_t>;
template struct PersistentCg<Kokkos::Cuda, float, BlockRowMajor, std::int32_t, std::int32_t>;

}  // namespace ashlar::impl
#endif
