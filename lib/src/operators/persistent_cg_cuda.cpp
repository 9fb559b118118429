#include <ashlar/operators/persistent_cg.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/device/cuda_check.hpp>
#include <ashlar/device/device_cache.hpp>
#include <string>
#include <utility>

#include "cuda/persistent_cg.hpp"
#include "cuda/resident_cg.hpp"

namespace ashlar::impl {

namespace {

/// How long a thread waits for the others of its grid: longer than any debugger keeps them, shorter than for ever.
constexpr std::uint64_t patience_ns = 30'000'000'000;

int attribute_of(const Kokkos::Cuda& exec, cudaDeviceAttr attribute) {
  int value = 0;
  cuda_check(cudaDeviceGetAttribute(&value, attribute, exec.cuda_device()), "cudaDeviceGetAttribute");
  return value;
}

/// Whether the function was compiled for devices that copy by bulk (ArrivalBarrier): a program for older ones runs on
/// newer ones, too, and does not.
template <class Function>
bool has_bulk_copies(Function function) {
  cudaFuncAttributes attributes{};
  cuda_check(cudaFuncGetAttributes(&attributes, function), "cudaFuncGetAttributes");
  return attributes.ptxVersion >= 90;
}

/// The thread blocks of a launch, one a multiprocessor.
struct GridShape {
  int blocks = 1, threads = 1024;
  std::size_t shared_bytes = 0;
};

/// One kernel with all that its launches need. Work is what it multiplies by.
template <class Work, class Value>
class PersistentKernel final : public CgKernel<Kokkos::Cuda> {
 public:
  using Function = void (*)(Work, CgPlace<Value>, DiagonalInverse<Value>, GridMemory*, unsigned*, std::uint64_t, int);

  PersistentKernel(const Kokkos::Cuda& exec, Function function, const Work& work, const GridShape& grid,
                   const DiagonalInverse<Value>& inverse, const CgPlace<Value>& place, std::string product)
      : function_(function),
        work_(work),
        grid_(grid),
        inverse_(inverse),
        place_(place),
        memory_(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "ashlar::persistent_cg::grid")),
        failed_("ashlar::persistent_cg::failed"),
        product_(std::move(product)),
        label_(text("ashlar::persistent_cg[", product_, "]")) {}

  void enqueue(const Kokkos::Cuda& exec, int iterations) override {
    std::uint64_t id = 0;
    const bool is_watched = Kokkos::Tools::profileLibraryLoaded();
    if (is_watched) Kokkos::Tools::beginParallelFor(label_, Kokkos::Tools::Experimental::device_id(exec), &id);
    cuda_check(cudaSetDevice(exec.cuda_device()), "cudaSetDevice");
    const cudaStream_t stream = exec.cuda_stream();
    cuda_check(cudaMemsetAsync(memory_.data(), 0, sizeof(GridMemory), stream), "cudaMemsetAsync");
    cudaLaunchAttribute together{};
    together.id = cudaLaunchAttributeCooperative;
    together.val.cooperative = 1;
    cudaLaunchConfig_t launch{};
    launch.gridDim = dim3(grid_.blocks);
    launch.blockDim = dim3(grid_.threads);
    launch.dynamicSmemBytes = grid_.shared_bytes;
    launch.stream = stream;
    launch.attrs = &together;
    launch.numAttrs = 1;
    cuda_check(cudaLaunchKernelEx(&launch, function_, work_, place_, inverse_, memory_.data(), failed_.data(),
                                  patience_ns, iterations),
               "cudaLaunchKernelEx");
    if (is_watched) Kokkos::Tools::endParallelFor(id);
  }

  void check() const override {
    if (failed_() == 0) return;
    throw Error("cg: the thread blocks of its persistent kernel waited for each other in vain",
                text("they gave up after ", patience_ns / 1'000'000'000, " s"),
                "ask for the launch 'graph', and tell us of the device");
  }

  std::string explain() const override {
    return text(grid_.blocks, " thread blocks of ", grid_.threads, " threads, ", product_,
                inverse_.values == nullptr ? "" : ", with its preconditioner");
  }

 private:
  Function function_;
  Work work_;
  GridShape grid_;
  DiagonalInverse<Value> inverse_;
  CgPlace<Value> place_;
  Kokkos::View<GridMemory, Kokkos::CudaSpace> memory_;
  Kokkos::View<unsigned, Kokkos::SharedHostPinnedSpace> failed_;
  std::string product_, label_;
};

/// The kernel, or why its thread blocks cannot all be on the device at once.
template <class Work, class Value>
CgKernelOffer<Kokkos::Cuda> offer(const Kokkos::Cuda& exec, typename PersistentKernel<Work, Value>::Function function,
                                  const Work& work, const GridShape& grid, const DiagonalInverse<Value>& inverse,
                                  const CgPlace<Value>& place, std::string product, bool is_worth_it) {
  if (grid.shared_bytes > std::size_t(attribute_of(exec, cudaDevAttrMaxSharedMemoryPerBlockOptin))) {
    return {nullptr, "its teams have too little scratch memory", false};
  }
  cuda_check(
      cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(grid.shared_bytes)),
      "cudaFuncSetAttribute");
  int resident = 0;
  cuda_check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, function, grid.threads, grid.shared_bytes),
             "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  if (resident < 1) return {nullptr, "its thread blocks do not fit on a multiprocessor", false};
  return {
      std::make_unique<PersistentKernel<Work, Value>>(exec, function, work, grid, inverse, place, std::move(product)),
      is_worth_it ? "" : "the vectors are too large for the device's cache: a kernel for each step is faster",
      is_worth_it};
}

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

/// The grid of a kernel with a SlicedProduct, which is told the room of its slices; no thread blocks where that is not
/// to be had. Waits for `exec`.
template <class Product>
GridShape sliced_grid(const Kokkos::Cuda& exec, Product& product, int most_blocks) {
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
                    room = all - bytes_before_product(grid.blocks);
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
  grid.shared_bytes = bytes_before_product(grid.blocks) + product.room.bytes(warps);
  return grid;
}

/// The grid of resident_cg_kernel; no thread blocks where the matrix is too large for it.
template <int B, class Arguments>
GridShape resident_grid(const Kokkos::Cuda& exec, const Arguments& a, int most_blocks) {
  using Value = std::remove_cv_t<std::remove_pointer_t<decltype(a.values)>>;
  constexpr int most_threads = 1024, fewest_threads = 256;
  const std::size_t room = attribute_of(exec, cudaDevAttrMaxSharedMemoryPerBlockOptin);
  const auto blocks = static_cast<int>(std::clamp<std::int64_t>(a.num_block_rows * B / 64, 1, most_blocks));
  const std::int64_t rows = (a.num_block_rows + blocks - 1) / blocks * B;
  if (rows > most_threads || resident_bytes<Value, B>(blocks, a.num_blocks / blocks) > room) return {0, 0, 0};
  const std::size_t bytes =
      resident_bytes<Value, B>(blocks, largest_slice(exec, a.row_begin, blocks, EqualShares{a.num_block_rows, blocks}));
  if (bytes > room) return {0, 0, 0};
  return {blocks, std::max(static_cast<int>((rows + 31) / 32 * 32), fewest_threads), bytes};
}

}  // namespace

template <class Value, class Layout>
requires std::is_floating_point_v<Value> CgKernelOffer<Kokkos::Cuda>
PersistentCg<Kokkos::Cuda, Value, Layout, std::int32_t, std::int32_t>::make(const Kokkos::Cuda& exec,
                                                                            const Arguments& given, TileShape tile,
                                                                            const DiagonalInverse<Value>& inverse,
                                                                            const CgPlace<Value>& place) {
  if (attribute_of(exec, cudaDevAttrCooperativeLaunch) == 0) {
    return {nullptr, "the device cannot launch thread blocks that wait for each other", false};
  }
  if (attribute_of(exec, cudaDevAttrComputeCapabilityMajor) < 7) {
    return {nullptr, "the device is older than its memory model (compute capability 7.0)", false};
  }
  if (place.n == 0) return {nullptr, "there are no rows", false};
  cuda_check(cudaSetDevice(exec.cuda_device()), "cudaSetDevice");
  Arguments arguments = given;
  arguments.x = place.p;
  arguments.y = place.q;
  const int most = std::min(attribute_of(exec, cudaDevAttrMultiProcessorCount), GridMemory::most_blocks);
  CgKernelOffer<Kokkos::Cuda> result{nullptr, "the block size is none that is compiled in", false};
  with_block_size(arguments.block_shape, [&](auto block_size) {
    constexpr int b = block_size();
    if constexpr (b > 0 && b <= largest_team_product_block) {
      if (const GridShape grid = resident_grid<b>(exec, arguments, most); grid.blocks > 0) {
        result = offer(exec, resident_cg_kernel<Value, Layout, b>, arguments, grid, inverse, place,
                       text("the matrix stays in their scratch memory, b=", b), true);
        return;
      }
      // Blocks that keep to rows of their own read p several times, unless the cache holds all of it.
      const bool fits = 2 * place.n * std::int64_t(sizeof(Value)) <= device_cache_bytes(exec);
      const auto offer_sliced = [&](auto lanes_of_row) {
        using Product = SlicedProduct<Value, Layout, b, lanes_of_row()>;
        if (!has_bulk_copies(persistent_cg_kernel<Product, Value>)) return;
        Product product{arguments, {}, !fits};
        if (const GridShape grid = sliced_grid(exec, product, most); grid.blocks > 0) {
          result = offer(exec, persistent_cg_kernel<Product, Value>, product, grid, inverse, place,
                         text("products by slices", fits ? "" : ", interleaved", ", b=", b), true);
        }
      };
      if constexpr (b > 1) {
        offer_sliced(std::integral_constant<int, 2>());
      } else if (arguments.num_blocks > 16 * arguments.num_block_rows) {
        offer_sliced(std::integral_constant<int, 2>());
      } else {
        offer_sliced(std::integral_constant<int, 1>());
      }
      if (result.kernel) return;
      using Product = TeamProduct<Value, Layout, std::int32_t, std::int32_t, b, Kokkos::Cuda>;
      result.why_not = "slices of it cannot be copied on this device, or from where its arrays begin";
      if constexpr (Product::is_served && !Product::by_tile) {
        using Teams = GridTeams<Product>;
        GridShape grid{.threads = Teams::most_threads};
        const int teams = grid.threads / Product::threads;
        const Product product(arguments, tile, std::int64_t(most) * teams);
        grid.blocks = static_cast<int>(std::clamp<std::int64_t>((product.num_places() + teams - 1) / teams, 1, most));
        grid.shared_bytes = bytes_before_product(grid.blocks) + teams * product.scratch_bytes();
        result = offer(exec, persistent_cg_kernel<Teams, Value>, Teams{product}, grid, inverse, place,
                       text("products ", Product::describe(), ",b=", b), fits);
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
