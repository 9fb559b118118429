#include <algorithm>
#include <ashlar/base/error.hpp>
#include <halo/in_kernel.hpp>
#include <support/median.hpp>
#include <utility>
#include <vector>

#ifdef KOKKOS_ENABLE_CUDA
#include <ashlar/bcsr/block.hpp>
#include <ashlar/device/packets/time_limit.hpp>
#include <ashlar/device/probes/device_properties.hpp>
#include <ashlar/device/runtime/cuda_check.hpp>
#include <ashlar/halo/halo_plan.hpp>
#include <ashlar/halo/row_partition.hpp>
#include <ashlar/persistent_cg/rendezvous.hpp>
#include <persistent_cg/cuda/persistent_kernel.hpp>
#include <persistent_cg/cuda/rank_sync.hpp>
#endif

namespace ashlar::perf {

#ifdef KOKKOS_ENABLE_CUDA

namespace {

using Round = RoundsInKernel::Round;
constexpr int num_sums = 4;
using Sync = impl::RankSync<double, num_sums>;

/// Counts the threads whose sums are wrong. Whole numbers, so that they are right to the bit.
__global__ void __launch_bounds__(RoundsInKernel::threads, 1)
    rounds_kernel(Round round, int rounds, double* p, std::int64_t entries, impl::GridMemory* memory,
                  std::uint64_t limit_ns, unsigned long long* wrong, const __grid_constant__ CgRanks<double> ranks) {
  extern __shared__ double scratch[];
  Sync grid(memory, limit_ns, ranks);
  const std::int64_t first = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x,
                     step = std::int64_t(gridDim.x) * blockDim.x;
  const double all_threads = double(ranks.first_block[ranks.num_ranks]) * blockDim.x,
               all_entries = double(entries) * ranks.num_ranks;
  bool is_right = true;
  for (int k = 0; k < rounds && __syncthreads_or(grid.has_failed()) == 0; ++k) {
    if (round == Round::four_sums) {
      double sums[num_sums];
      for (int i = 0; i < num_sums; ++i) sums[i] = k + i;
      grid.sum<num_sums>(sums, scratch);
      for (int i = 0; i < num_sums; ++i) is_right = is_right && sums[i] == (k + i) * all_threads;
      continue;
    }
    for (std::int64_t i = first; i < entries; i += step) p[i] = double(i + k);
    grid.barrier();
    double sum[1] = {0};
    if (round == Round::halo) {
      grid.send_halo(1, p);
      for (std::int64_t i = first; i < entries; i += step) {
        sum[0] += grid.multiply_others<1, BlockRowMajor>(grid.others_of(i), 1, 0);
      }
    } else {
      for (std::int64_t i = first; i < entries; i += step) sum[0] += p[i];
    }
    grid.sum<1>(sum, scratch);
    is_right = is_right && sum[0] == all_entries * (0.5 * double(entries - 1) + k);
  }
  if (!is_right || grid.has_failed()) atomicAdd(wrong, 1ull);
  if (first == 0) grid.finish();
}

}  // namespace

struct RoundsInKernel::Kernel {
  Exec exec;
  const Communicator& comm;
  std::int64_t entries;
  std::shared_ptr<CgRendezvous<double>> rendezvous;
  Vector<double> p, values;
  Vector<std::int32_t> rows;  // 0, 1, 2, ...: both where rows begin that have an entry each, and the columns
  Kokkos::View<impl::GridMemory, Space> memory;
  Kokkos::View<unsigned long long, Kokkos::SharedHostPinnedSpace> wrong;
  CgRanks<double> ranks;
  int blocks;

  Kernel(const Exec& its_exec, const Communicator& its_comm, std::int64_t its_entries)
      : exec(its_exec),
        comm(its_comm),
        entries(its_entries),
        rendezvous(cg_rendezvous<double>(exec, comm, plan(), 1)),
        p("perf::p", entries),
        values("perf::values", entries),
        rows("perf::rows", entries + 1),
        memory("perf::grid"),
        wrong("perf::wrong"),
        blocks(std::min(impl::attribute_of(exec, cudaDevAttrMultiProcessorCount), impl::GridMemory::most_blocks)) {
    Kokkos::deep_copy(exec, values, 1.0);
    fill_rows();
    const bool is_persistent = impl::why_not_persistent(exec).empty();
    const CgRanks<double>* const met = rendezvous->connect(is_persistent ? blocks : 0, bus_id(exec));
    if (met == nullptr) {
      throw Error("perf_halo: no kernels iterate as one", rendezvous->why_not(),
                  "run it with a GPU of one host for each rank");
    }
    ranks = *met;
    ranks.row_begin = ranks.col_idx = rows.data();
    ranks.values = values.data();
  }

  HaloPlan plan() const {
    std::vector<std::int64_t> needed;
    const std::int64_t next = (comm.rank() + 1) % comm.size();
    for (std::int64_t i = 0; i < entries; ++i) needed.push_back(next * entries + i);
    return {comm, RowPartition::even(entries * comm.size(), comm.size()), needed, {.form = HaloForm::packed}};
  }

  void fill_rows() const {
    const auto here = Kokkos::create_mirror_view(rows);
    for (std::size_t i = 0; i < here.extent(0); ++i) here(i) = static_cast<std::int32_t>(i);
    Kokkos::deep_copy(exec, rows, here);
    exec.fence("perf::in_kernel");
  }

  void run(Round round, int rounds) const {
    const cudaStream_t stream = exec.cuda_stream();
    impl::cuda_check(cudaSetDevice(exec.cuda_device()), "cudaSetDevice");
    impl::cuda_check(cudaMemsetAsync(memory.data(), 0, sizeof(impl::GridMemory), stream), "cudaMemsetAsync");
    const std::size_t shared_bytes = sizeof(double) * num_sums * (32 + std::size_t(ranks.first_block[ranks.num_ranks]));
    cudaLaunchAttribute together{};
    together.id = cudaLaunchAttributeCooperative;
    together.val.cooperative = 1;
    cudaLaunchConfig_t launch{};
    launch.gridDim = dim3(blocks);
    launch.blockDim = dim3(threads);
    launch.dynamicSmemBytes = shared_bytes;
    launch.stream = stream;
    launch.attrs = &together;
    launch.numAttrs = 1;
    impl::cuda_check(cudaLaunchKernelEx(&launch, rounds_kernel, round, rounds, p.data(), entries, memory.data(),
                                        time_limit_ns(default_time_out_seconds), wrong.data(), ranks),
                     "cudaLaunchKernelEx");
    exec.fence("perf::in_kernel");
  }
};

RoundsInKernel::RoundsInKernel(const Exec& exec, const Communicator& comm, std::int64_t entries)
    : kernel_(std::make_unique<Kernel>(exec, comm, entries)) {}

int RoundsInKernel::thread_blocks() const { return kernel_->ranks.first_block[kernel_->ranks.num_ranks]; }

bool RoundsInKernel::are_right(Round round) const {
  kernel_->wrong() = 0;
  kernel_->run(round, 100);
  return kernel_->comm.max(kernel_->wrong()) == 0;
}

double RoundsInKernel::seconds_of_round(Round round, int samples) const {
  constexpr int few = 100, many = 2100;
  const auto seconds_of = [&](int rounds) {
    kernel_->comm.barrier();
    const Kokkos::Timer timer;
    kernel_->run(round, rounds);
    return kernel_->comm.max(timer.seconds());
  };
  std::vector<double> seconds;
  for (int k = 0; k < samples; ++k) {
    const double of_few = seconds_of(few);
    seconds.push_back((seconds_of(many) - of_few) / (many - few));
  }
  return median(std::move(seconds));
}

#else

struct RoundsInKernel::Kernel {};

RoundsInKernel::RoundsInKernel(const Exec&, const Communicator&, std::int64_t) {
  throw Error("perf_halo: no kernels iterate as one", "there are such kernels for CUDA alone", "build it for CUDA");
}
int RoundsInKernel::thread_blocks() const { return 0; }
bool RoundsInKernel::are_right(Round) const { return false; }
double RoundsInKernel::seconds_of_round(Round, int) const { return 0; }

#endif

RoundsInKernel::~RoundsInKernel() = default;

}  // namespace ashlar::perf
