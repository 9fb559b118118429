#pragma once

#include <ashlar/persistent_cg/one_device.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/device/packets/time_limit.hpp>
#include <ashlar/device/runtime/cuda_check.hpp>
#include <ashlar/persistent_cg/ranks.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "rank_sync.hpp"

namespace ashlar::impl {

inline int attribute_of(const Kokkos::Cuda& exec, cudaDeviceAttr attribute) {
  int value = 0;
  cuda_check(cudaDeviceGetAttribute(&value, attribute, exec.cuda_device()), "cudaDeviceGetAttribute");
  return value;
}

/// True if the function was compiled for devices that copy by bulk (ArrivalBarrier): a program for older ones runs on
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

/// A kernel that iterates CG: Sync is how its thread blocks wait for each other, and Work multiplies.
template <class Sync, class Work, class Value>
using PersistentFunction = void (*)(Work, CgPlace<Value>, DiagonalInverse<Value>, GridMemory*, unsigned*, std::uint64_t,
                                    typename Sync::Ranks, int);

/// The memory of a kernel for its own state: sums and flags, no matrix or vectors.
struct KernelMemory {
  Kokkos::View<GridMemory, Kokkos::CudaSpace> grid;
  Kokkos::View<unsigned, Kokkos::SharedHostPinnedSpace> failed;  ///< not 0 if a kernel gave up

  explicit KernelMemory(const Kokkos::Cuda& exec)
      : grid(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "ashlar::persistent_cg::grid")),
        failed("ashlar::persistent_cg::failed") {}
};

/// One kernel with all that its launches need. The constructor allocates on the host only.
template <class Sync, class Work, class Value>
class PersistentKernel final : public CgKernel<Kokkos::Cuda> {
 public:
  using Function = PersistentFunction<Sync, Work, Value>;
  using Rendezvous = std::shared_ptr<CgRendezvous<Value>>;  // none of a rank that is alone

  PersistentKernel(Function function, const Work& work, const GridShape& grid, const DiagonalInverse<Value>& inverse,
                   typename Sync::Ranks ranks, Rendezvous rendezvous, const CgPlace<Value>& place, KernelMemory memory,
                   std::string product, std::shared_ptr<const void> kept)
      : function_(function),
        work_(work),
        grid_(grid),
        inverse_(inverse),
        ranks_(ranks),
        rendezvous_(std::move(rendezvous)),
        generation_(rendezvous_ ? rendezvous_->generation() : 0),
        time_out_seconds_(rendezvous_ ? rendezvous_->time_out_seconds() : default_time_out_seconds),
        place_(place),
        memory_(std::move(memory)),
        kept_(std::move(kept)),
        product_(std::move(product)),
        label_(text("ashlar::persistent_cg[", product_, "]")) {}

  /// Throws   Error if the memory that it shares with other ranks has been freed, and as check().
  void enqueue(const Kokkos::Cuda& exec, int iterations) override {
    if (!is_connected()) {
      throw Error("cg: a persistent kernel whose ranks have been connected again",
                  "another solver of this operator has replaced the memory that they share",
                  "call values_changed() of this solver, or make it again");
    }
    check();
    std::uint64_t id = 0;
    const bool is_watched = Kokkos::Tools::profileLibraryLoaded();
    if (is_watched) Kokkos::Tools::beginParallelFor(label_, Kokkos::Tools::Experimental::device_id(exec), &id);
    cuda_check(cudaSetDevice(exec.cuda_device()), "cudaSetDevice");
    const cudaStream_t stream = exec.cuda_stream();
    cuda_check(cudaMemsetAsync(memory_.grid.data(), 0, sizeof(GridMemory), stream), "cudaMemsetAsync");
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
    cuda_check(cudaLaunchKernelEx(&launch, function_, work_, place_, inverse_, memory_.grid.data(),
                                  memory_.failed.data(), time_limit_ns(time_out_seconds_), ranks_, iterations),
               "cudaLaunchKernelEx");
    if (is_watched) Kokkos::Tools::endParallelFor(id);
  }

  void check() const override {
    if (memory_.failed() == 0) return;
    if constexpr (Sync::is_of_ranks) {
      if (is_connected()) rendezvous_->invalidate();
      throw Error(text("cg: the kernels of ", rendezvous_->num_ranks(), " ranks waited for each other in vain"),
                  text("another rank has ended or hangs; they gave up after ", time_out_seconds_, " s"),
                  "look for its message");
    }
    throw Error("cg: the thread blocks of its persistent kernel waited for each other in vain",
                text("they gave up after ", time_out_seconds_, " s"),
                "ask for the launch 'graph', and tell us of the device");
  }

  std::string explain() const override {
    return text(
        grid_.blocks, " thread blocks of ", grid_.threads, " threads, ", product_,
        inverse_.values == nullptr ? "" : ", with its preconditioner",
        rendezvous_ ? text(", with those of ", rendezvous_->num_ranks(), " ranks: halo and sums as packets") : "");
  }

 private:
  /// True if the memory that it shares with other ranks is still there.
  bool is_connected() const { return !rendezvous_ || rendezvous_->generation() == generation_; }

  Function function_;
  Work work_;
  GridShape grid_;
  DiagonalInverse<Value> inverse_;
  typename Sync::Ranks ranks_;
  Rendezvous rendezvous_;
  std::uint64_t generation_;
  double time_out_seconds_;
  CgPlace<Value> place_;
  KernelMemory memory_;
  std::shared_ptr<const void> kept_;  // the memory of what it multiplies by, where that is its own
  std::string product_, label_;
};

/// Why the thread blocks of a grid cannot all be resident together; empty if they can.
template <class Function>
std::string why_not_together(const Kokkos::Cuda& exec, Function function, const GridShape& grid) {
  if (grid.shared_bytes > std::size_t(attribute_of(exec, cudaDevAttrMaxSharedMemoryPerBlockOptin))) {
    return "its teams have too little scratch memory";
  }
  cuda_check(
      cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(grid.shared_bytes)),
      "cudaFuncSetAttribute");
  int resident = 0;
  cuda_check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, function, grid.threads, grid.shared_bytes),
             "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  return resident < 1 ? "its thread blocks do not fit on a multiprocessor" : "";
}

/// Why no kernel of thread blocks that wait for each other runs on this device; empty where one does.
inline std::string why_not_persistent(const Kokkos::Cuda& exec) {
  if (attribute_of(exec, cudaDevAttrCooperativeLaunch) == 0) {
    return "the device cannot launch thread blocks that wait for each other";
  }
  if (attribute_of(exec, cudaDevAttrComputeCapabilityMajor) < 7) {
    return "the device is older than its memory model (compute capability 7.0)";
  }
  return "";
}

}  // namespace ashlar::impl
#endif
