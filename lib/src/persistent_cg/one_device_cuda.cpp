#include <ashlar/persistent_cg/one_device.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include <algorithm>
#include <ashlar/base/text.hpp>
#include <ashlar/device/loads/cache_hint.hpp>
#include <ashlar/device/runtime/cuda_check.hpp>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "cuda/persistent_grids.hpp"

namespace ashlar::impl {

namespace {

/// The kernel, or why its thread blocks cannot all be resident together. `why_slower`, if anything, says why
/// kernels for each step are faster.
template <class Work, class Scalar>
CgKernelOffer<Kokkos::Cuda> offer(const Kokkos::Cuda& exec, PersistentFunction<LoneSync, Work, Scalar> function,
                                  const Work& work, const GridShape& grid, const DiagonalInverse<Scalar>& inverse,
                                  const CgPlace<Scalar>& place, std::string product, std::shared_ptr<const void> kept,
                                  std::string why_slower) {
  if (std::string why = why_not_together(exec, function, grid); !why.empty()) return {nullptr, why, false};
  const bool is_worth_it = why_slower.empty();
  return {std::make_unique<PersistentKernel<LoneSync, Work, Scalar>>(function, work, grid, inverse, LoneSync::Ranks{},
                                                                     nullptr, place, KernelMemory(exec),
                                                                     std::move(product), std::move(kept)),
          std::move(why_slower), is_worth_it};
}

}  // namespace

template <class Value, class Scalar, class Layout>
requires iterates_in_one_kernel<Value, Scalar, Layout> CgKernelOffer<Kokkos::Cuda>
PersistentCg<Kokkos::Cuda, Value, Scalar, Layout, std::int32_t, std::int32_t>::make(
    const Kokkos::Cuda& exec, const Arguments& given, const DiagonalInverse<Scalar>& inverse,
    const CgPlace<Scalar>& place) {
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
        return offer(exec, function, work, grid, inverse, place, std::move(product), std::move(kept), "");
      };
      if (auto found = with_prefetching_kernel<LoneSync, b>(exec, arguments, Layout(), 1, place.copy_bytes, take)) {
        result = std::move(*found);
        if (result.kernel) return;
      }
      using Product = TeamProduct<Value, Layout, std::int32_t, std::int32_t, b, Kokkos::Cuda>;
      result.why_not = "slices of it cannot be copied on this device, or from where its arrays begin";
      if constexpr (std::is_same_v<Value, Scalar> && Product::is_served && !Product::by_tile) {
        using Teams = GridTeams<Product>;
        const int most = std::min(attribute_of(exec, cudaDevAttrMultiProcessorCount), GridMemory::most_blocks);
        GridShape grid{.threads = Teams::most_threads};
        const int teams = grid.threads / Product::threads;
        const Product product(arguments);
        grid.blocks = static_cast<int>(std::clamp<std::int64_t>((product.num_places() + teams - 1) / teams, 1, most));
        grid.shared_bytes = bytes_before_product(grid.blocks) + teams * product.scratch_bytes();
        const PersistentFunction<LoneSync, Teams, Scalar> function = persistent_cg_kernel<LoneSync, Teams, Scalar>;
        const bool fits = 2 * place.n * std::int64_t(sizeof(Scalar)) <= device_cache_bytes(exec);
        result = offer(
            exec, function, Teams{product}, grid, inverse, place, text("products ", Product::describe(), ",b=", b),
            nullptr, fits ? "" : "the vectors are too large for the device's cache: a kernel for each step is faster");
      }
    }
  });
  return result;
}

template struct PersistentCg<Kokkos::Cuda, double, double, BlockColumnMajor, std::int32_t, std::int32_t>;
template struct PersistentCg<Kokkos::Cuda, double, double, BlockRowMajor, std::int32_t, std::int32_t>;
template struct PersistentCg<Kokkos::Cuda, float, float, BlockColumnMajor, std::int32_t, std::int32_t>;
template struct PersistentCg<Kokkos::Cuda, float, float, BlockRowMajor, std::int32_t, std::int32_t>;
template struct PersistentCg<Kokkos::Cuda, float, double, BlockColumnMajor, std::int32_t, std::int32_t>;

}  // namespace ashlar::impl
#endif
