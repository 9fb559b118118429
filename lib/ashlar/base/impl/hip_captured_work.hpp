#pragma once

#include <ashlar/base/hip_check.hpp>
#include <ashlar/base/impl/host_captured_work.hpp>
#include <functional>
#include <utility>

#ifdef KOKKOS_ENABLE_HIP

namespace ashlar::impl {

/// One owner for a graph of the HIP runtime that can be launched.
template <>
class CapturedWorkHandle<Kokkos::HIP> {
 public:
  static constexpr bool can_capture = true;

  /// Not from the null stream, which waits for all others.
  static bool can_capture_from(const Kokkos::HIP& exec) { return exec.hip_stream() != nullptr; }

  CapturedWorkHandle(const Kokkos::HIP& exec, const std::function<void()>& enqueue) {
    const hipStream_t stream = exec.hip_stream();
    // Relaxed: for a team policy Kokkos asks for 0 bytes of scratch memory at each launch, which the stricter modes
    // take for an allocation.
    hip_check(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed), "hipStreamBeginCapture");
    hipGraph_t graph = nullptr;
    try {
      enqueue();
    } catch (...) {
      // The stream must leave its capture, whatever went wrong within.
      static_cast<void>(hipStreamEndCapture(stream, &graph));
      if (graph != nullptr) hip_report(hipGraphDestroy(graph), "hipGraphDestroy");
      throw;
    }
    hip_check(hipStreamEndCapture(stream, &graph), "hipStreamEndCapture");
    const hipError_t made = hipGraphInstantiate(&instance_, graph, nullptr, nullptr, 0);
    hip_report(hipGraphDestroy(graph), "hipGraphDestroy");
    hip_check(made, "hipGraphInstantiate");
  }
  CapturedWorkHandle(CapturedWorkHandle&& other) noexcept : instance_(std::exchange(other.instance_, nullptr)) {}
  CapturedWorkHandle& operator=(CapturedWorkHandle&& other) noexcept {
    std::swap(instance_, other.instance_);
    return *this;
  }
  ~CapturedWorkHandle() {
    if (instance_ != nullptr) hip_report(hipGraphExecDestroy(instance_), "hipGraphExecDestroy");
  }

  void replay(const Kokkos::HIP& exec) const {
    hip_check(hipGraphLaunch(instance_, exec.hip_stream()), "hipGraphLaunch");
  }

 private:
  hipGraphExec_t instance_ = nullptr;
};

}  // namespace ashlar::impl
#endif
