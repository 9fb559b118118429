#include <ashlar/multigrid/impl/one_kernel.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/device/packets/grid_sync.hpp>
#include <ashlar/device/packets/packet.hpp>
#include <ashlar/device/packets/time_limit.hpp>
#include <ashlar/device/runtime/cuda_check.hpp>
#include <cstddef>
#include <cstdint>

// The small levels of cycles by one cooperative grid.

namespace ashlar::multigrid::impl {

namespace {

using ashlar::impl::cuda_check, ashlar::impl::GridMemory, ashlar::impl::GridSync;

constexpr std::uint64_t limit_ns = time_limit_ns(default_time_out_seconds);
constexpr int num_threads = OneKernel<Kokkos::Cuda, double>::num_threads;

struct BlockBarrier {
  KOKKOS_FUNCTION void operator()() const { KOKKOS_IF_ON_DEVICE((__syncthreads();)) }

  /// Joins the values of the lanes of a warp in pairs: the same bits for each lane.
  template <class Join>
  KOKKOS_FUNCTION double join_lanes(double value, [[maybe_unused]] const Join& join) const {
    KOKKOS_IF_ON_DEVICE((for (int distance = 16; distance > 0;
                              distance /= 2) { value = join(value, __shfl_xor_sync(0xffffffffu, value, distance)); }))
    return value;
  }
};

/// A wide team has a thread for each cell of a tile, for each pair around it, and for each ghost beyond the boundary.
static_assert(num_threads >= widest_tile_in_scratch * widest_tile_in_scratch * widest_tile_in_scratch);
static_assert(num_threads >= most_pairs_around && num_threads >= most_ghosts_in_scratch);

/// By packets, which need no barrier: the sequence number of each is the number of its exchange.
struct ExchangeByPackets {
  GridSync* grid;
  unsigned* number;  // of the current exchange, counted over all launches

  KOKKOS_FUNCTION void begin(int exchanges) const { *number += static_cast<unsigned>(exchanges); }
  KOKKOS_FUNCTION void send(Packet* to, double value) const { send_packet<PacketScope::device>(to, value, *number); }
  KOKKOS_FUNCTION double receive([[maybe_unused]] const Packet* from) const {
    KOKKOS_IF_ON_DEVICE((return grid->wait_for_packet(from, *number);))
    KOKKOS_IF_ON_HOST((return 0;))
  }
};

/// A thread in the first thread block alone, or in all of them: there neighbouring warps are of different blocks, so
/// that a kernel which has too little for all threads keeps all multiprocessors busy.
__device__ ThreadGroup<BlockBarrier, ExchangeByPackets, true> group_of_kernel(bool is_for_one_team, double* scratch,
                                                                              const ExchangeByPackets& exchange) {
  constexpr int lanes = 32;
  const int thread = threadIdx.x, lane = thread % lanes, warp = thread / lanes;
  if (is_for_one_team) return {thread, num_threads, 0, 1, thread, num_threads, lanes, scratch, {}, exchange};
  const int blocks = gridDim.x, block = blockIdx.x;
  const int rank = (warp * blocks + block) * lanes + lane;
  return {rank, blocks * num_threads, block, blocks, thread, num_threads, lanes, scratch, {}, exchange};
}

/// Each thread's part of copying a packed kernel to shared memory: loaded early, stored late.
struct KernelWord {
  static constexpr int count = sizeof(PackedKernel) / sizeof(std::uint64_t);
  static_assert(sizeof(PackedKernel) % sizeof(std::uint64_t) == 0 && count <= num_threads);

  std::uint64_t word = 0;

  __device__ void load(const PackedKernel* from) {
    if (threadIdx.x < count) word = reinterpret_cast<const std::uint64_t*>(from)[threadIdx.x];
  }
  __device__ void store(PackedKernel* to) const {
    if (threadIdx.x < count) reinterpret_cast<std::uint64_t*>(to)[threadIdx.x] = word;
  }
};

template <class Real>
__global__ void __launch_bounds__(num_threads)
    cycle_kernel(const PackedKernel* kernels, int count, GridMemory* memory, unsigned* exchanges, unsigned* failed) {
  __shared__ PackedKernel two[2];  // this one and the next
  __shared__ double scratch[scratch_size_of_team];
  GridSync grid(memory, limit_ns);
  // Each thread block keeps its own count for the next launch.
  unsigned number = exchanges[blockIdx.x];
  const ExchangeByPackets exchange{&grid, &number};
  KernelWord word;
  word.load(kernels);
  word.store(two);
  __syncthreads();
  for (int s = 0; s < count; ++s) {
    const PackedKernel& kernel = two[s % 2];
    const bool is_for_one_team = kernel.is_for_one_team != 0, has_barrier = kernel.barrier_after_it != 0;
    const bool is_last = s + 1 == count;
    if (!is_last) word.load(kernels + s + 1);
    if (!is_for_one_team || blockIdx.x == 0)
      run_kernel<Real>(kernel, group_of_kernel(is_for_one_team, scratch, exchange));
    if (is_last) break;
    word.store(two + (s + 1) % 2);
    if (has_barrier) {
      grid.barrier();  // who has given up waits no longer, and comes to the end
    } else {
      __syncthreads();
    }
  }
  // Any thread may have waited in vain, for a packet.
  const bool has_failed = __syncthreads_or(grid.has_failed() ? 1 : 0) != 0;
  if (threadIdx.x != 0) return;
  exchanges[blockIdx.x] = number;
  if (has_failed) *failed = 1;
}

int attribute_of(const Kokkos::Cuda& exec, cudaDeviceAttr attribute) {
  int value = 0;
  cuda_check(cudaDeviceGetAttribute(&value, attribute, exec.cuda_device()), "cudaDeviceGetAttribute");
  return value;
}

}  // namespace

template <class Real>
OneKernel<Kokkos::Cuda, Real>::OneKernel(const Kokkos::Cuda& exec) {
  if (attribute_of(exec, cudaDevAttrCooperativeLaunch) == 0) {
    why_not_ = "the device cannot launch thread blocks that wait for each other";
  } else if (attribute_of(exec, cudaDevAttrComputeCapabilityMajor) < 7) {
    why_not_ = "the device is older than its memory model (compute capability 7.0)";
  } else {
    cuda_check(cudaSetDevice(exec.cuda_device()), "cudaSetDevice");
    int resident = 0;
    cuda_check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, cycle_kernel<Real>, num_threads, 0),
               "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
    if (resident < 1) why_not_ = "its thread blocks do not fit on a multiprocessor";
  }
  if (!why_not_.empty()) return;
  num_blocks_ = std::min(attribute_of(exec, cudaDevAttrMultiProcessorCount), GridMemory::most_blocks);
  memory_ = decltype(memory_)(Kokkos::view_alloc(exec, "ashlar::multigrid::one_kernel::grid"), sizeof(GridMemory));
  exchanges_ = decltype(exchanges_)(Kokkos::view_alloc(exec, "ashlar::multigrid::one_kernel::exchanges"), num_blocks_);
  failed_ = decltype(failed_)(Kokkos::view_alloc(exec, "ashlar::multigrid::one_kernel::failed"), 1);
}

template <class Real>
void OneKernel<Kokkos::Cuda, Real>::enqueue(const Kokkos::Cuda& exec, const PackedKernel* kernels,
                                            const KernelRange& range) const {
  std::uint64_t id = 0;
  const bool is_watched = Kokkos::Tools::profileLibraryLoaded();
  if (is_watched) {
    Kokkos::Tools::beginParallelFor("ashlar::multigrid::one_kernel", Kokkos::Tools::Experimental::device_id(exec), &id);
  }
  cuda_check(cudaSetDevice(exec.cuda_device()), "cudaSetDevice");
  const cudaStream_t stream = exec.cuda_stream();
  // (Without the packets: the kernel has no sums.)
  cuda_check(cudaMemsetAsync(memory_.data(), 0, offsetof(GridMemory, packets), stream), "cudaMemsetAsync");
  cudaLaunchAttribute together{};
  together.id = cudaLaunchAttributeCooperative;
  together.val.cooperative = 1;
  cudaLaunchConfig_t launch{};
  launch.gridDim = dim3(range.is_for_one_team ? 1 : num_blocks_);
  launch.blockDim = dim3(num_threads);
  launch.stream = stream;
  launch.attrs = &together;
  launch.numAttrs = 1;
  cuda_check(cudaLaunchKernelEx(&launch, cycle_kernel<Real>, kernels, range.count,
                                reinterpret_cast<GridMemory*>(memory_.data()), exchanges_.data(), failed_.data()),
             "cudaLaunchKernelEx");
  if (is_watched) Kokkos::Tools::endParallelFor(id);
}

template <class Real>
void OneKernel<Kokkos::Cuda, Real>::check() const {
  if (failed_.extent(0) == 0 || failed_(0) == 0) return;
  throw Error("multigrid: the thread blocks of its kernel for small levels waited for each other in vain",
              text("they gave up after ", default_time_out_seconds, " s"),
              "set one_kernel_cells to 0, and tell us of the device");
}

template class OneKernel<Kokkos::Cuda, double>;
template class OneKernel<Kokkos::Cuda, float>;

}  // namespace ashlar::multigrid::impl
#endif
