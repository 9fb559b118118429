#include <ashlar/persistent_cg/ranks.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include <ashlar/base/text.hpp>
#include <ashlar/device/probes/device_properties.hpp>
#include <ashlar/device/runtime/cuda_check.hpp>
#include <exception>
#include <memory>
#include <string>
#include <utility>

#include "cuda/persistent_grids.hpp"

namespace ashlar::impl {

namespace {

/// True if the kernel is faster than kernels for each step with vectors, too, that are larger than the second cache.
/// (Measured at 11-point 256^3, slices as they are stored, us an iteration: on two H100, of 3.3 TB/s, 745 against 689
/// by kernels and messages on streams; on two H200, of 4.8 TB/s, 540 against 592, and on four 288 against 338.)
bool has_fast_memory(const Kokkos::Cuda& exec) {
  constexpr double bytes_per_second = 4e12, transfers_a_clock = 2;
  return transfers_a_clock * 1e3 * attribute_of(exec, cudaDevAttrMemoryClockRate) *
             (attribute_of(exec, cudaDevAttrGlobalMemoryBusWidth) / 8.) >
         bytes_per_second;
}

}  // namespace

template <class Value, class Layout>
requires std::is_floating_point_v<Value> CgKernelOffer<Kokkos::Cuda>
PersistentCgOfRanks<Kokkos::Cuda, Value, Layout, std::int32_t, std::int32_t>::make(
    const Kokkos::Cuda& exec, const Arguments& given, const DiagonalInverse<Value>& inverse,
    const CgPlace<Value>& place, const std::shared_ptr<CgRendezvous<Value>>& rendezvous) {
  bool has_met = false;
  const auto connect = [&](int thread_blocks) {
    has_met = true;
    return rendezvous->connect(thread_blocks, bus_id(exec));
  };
  CgKernelOffer<Kokkos::Cuda> result{nullptr, why_not_persistent(exec), false};
  if (result.why_not.empty() && place.n == 0) result.why_not = "a rank has no rows";
  if (result.why_not.empty()) {
    cuda_check(cudaSetDevice(exec.cuda_device()), "cudaSetDevice");
    result.why_not = "the block size is none that is compiled in";
    Arguments arguments = given;
    arguments.x = place.p;
    arguments.y = place.q;
    try {
      with_block_size(arguments.block_shape, [&](auto block_size) {
        constexpr int b = block_size();
        if constexpr (b > 0 && b <= largest_team_product_block) {
          using Sync = RankSync<Value>;
          const auto take = [&](auto function, const auto& work, const GridShape& grid, std::string product,
                                std::shared_ptr<const void> kept) -> CgKernelOffer<Kokkos::Cuda> {
            if (std::string why = why_not_together(exec, function, grid); !why.empty()) return {nullptr, why, false};
            using Work = std::remove_cvref_t<decltype(work)>;
            bool fits = true;
            if constexpr (requires { work.is_interleaved; }) {
              const bool is_smaller = kept != nullptr;  // than what the kernels for each step read; measured on H200
              fits = !work.is_interleaved || is_smaller || has_fast_memory(exec);
            }
            KernelMemory memory(exec);
            // From here on only the host allocates: if one rank failed, the others would wait for its kernel.
            const CgRanks<Value>* const ranks = connect(grid.blocks);
            if (ranks == nullptr) return {nullptr, rendezvous->why_not(), false};
            return {std::make_unique<PersistentKernel<Sync, Work, Value>>(function, work, grid, inverse, *ranks,
                                                                          rendezvous, place, std::move(memory),
                                                                          std::move(product), std::move(kept)),
                    fits ? "" : "the vectors are too large for the device's cache: kernels for each step are faster",
                    fits};
          };
          auto found = with_prefetching_kernel<Sync, b>(exec, arguments, Layout(), rendezvous->num_ranks(),
                                                        place.copy_bytes, take);
          if (found) {
            result = std::move(*found);
          } else {
            result.why_not = "slices of it cannot be copied on this device, or from where its arrays begin";
          }
        }
      });
    } catch (const std::exception& error) {
      if (has_met) throw;
      result = {nullptr, text("it cannot be made: ", error.what()), false};  // the others wait where ranks synchronise
    }
  }
  if (!has_met) connect(0);
  return result;
}

template struct PersistentCgOfRanks<Kokkos::Cuda, double, BlockColumnMajor, std::int32_t, std::int32_t>;
template struct PersistentCgOfRanks<Kokkos::Cuda, double, BlockRowMajor, std::int32_t, std::int32_t>;
template struct PersistentCgOfRanks<Kokkos::Cuda, float, BlockColumnMajor, std::int32_t, std::int32_t>;
template struct PersistentCgOfRanks<Kokkos::Cuda, float, BlockRowMajor, std::int32_t, std::int32_t>;

}  // namespace ashlar::impl
#endif
