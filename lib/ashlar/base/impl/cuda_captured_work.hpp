#pragma once

#include <ashlar/base/cuda_check.hpp>
#include <ashlar/base/impl/host_captured_work.hpp>
#include <functional>
#include <utility>

#ifdef KOKKOS_ENABLE_CUDA

namespace ashlar::impl {

/// One owner for a graph of the CUDA runtime that can be launched.
template <>
class CapturedWorkHandle<Kokkos::Cuda> {
 public:
  static constexpr bool can_capture = true;

  /// Not from the legacy stream, which waits for all others.
  static bool can_capture_from(const Kokkos::Cuda& exec) {
    return exec.cuda_stream() != nullptr && exec.cuda_stream() != cudaStreamLegacy;
  }

  CapturedWorkHandle(const Kokkos::Cuda& exec, const std::function<void()>& enqueue) {
    const cudaStream_t stream = exec.cuda_stream();
    // Relaxed: for a team policy Kokkos asks for 0 bytes of scratch memory at each launch, which the stricter modes
    // take for an allocation.
    cuda_check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), "cudaStreamBeginCapture");
    cudaGraph_t graph = nullptr;
    try {
      enqueue();
    } catch (...) {
      // The stream must leave its capture, whatever went wrong within.
      static_cast<void>(cudaStreamEndCapture(stream, &graph));
      if (graph != nullptr) cuda_report(cudaGraphDestroy(graph), "cudaGraphDestroy");
      throw;
    }
    cuda_check(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
    const cudaError_t made = cudaGraphInstantiate(&instance_, graph, 0);
    cuda_report(cudaGraphDestroy(graph), "cudaGraphDestroy");
    cuda_check(made, "cudaGraphInstantiate");
  }
  CapturedWorkHandle(CapturedWorkHandle&& other) noexcept : instance_(std::exchange(other.instance_, nullptr)) {}
  CapturedWorkHandle& operator=(CapturedWorkHandle&& other) noexcept {
    std::swap(instance_, other.instance_);
    return *this;
  }
  ~CapturedWorkHandle() {
    if (instance_ != nullptr) cuda_report(cudaGraphExecDestroy(instance_), "cudaGraphExecDestroy");
  }

  void replay(const Kokkos::Cuda& exec) const {
    cuda_check(cudaGraphLaunch(instance_, exec.cuda_stream()), "cudaGraphLaunch");
  }

 private:
  cudaGraphExec_t instance_ = nullptr;
};

}  // namespace ashlar::impl
#endif
