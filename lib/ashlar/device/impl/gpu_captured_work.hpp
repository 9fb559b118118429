#pragma once

#include <ashlar/device/impl/gpu_runtime.hpp>
#include <ashlar/device/impl/host_captured_work.hpp>
#include <functional>
#include <utility>

#ifdef ASHLAR_HAS_GPU_RUNTIME

namespace ashlar::impl {

/// One owner for a graph of the GPU's runtime that can be launched.
template <>
class CapturedWorkHandle<gpu::Exec> {
 public:
  static constexpr bool can_capture = true;

  static bool can_capture_from(const gpu::Exec& exec) { return !gpu::is_legacy(gpu::stream_of(exec)); }

  CapturedWorkHandle(const gpu::Exec& exec, const std::function<void()>& enqueue) {
    const gpu::Stream stream = gpu::stream_of(exec);
    gpu::begin_capture(stream);
    try {
      enqueue();
    } catch (...) {
      gpu::abandon_capture(stream);
      throw;
    }
    graph_ = gpu::end_capture(stream);
  }
  CapturedWorkHandle(CapturedWorkHandle&& other) noexcept : graph_(std::exchange(other.graph_, nullptr)) {}
  CapturedWorkHandle& operator=(CapturedWorkHandle&& other) noexcept {
    std::swap(graph_, other.graph_);
    return *this;
  }
  ~CapturedWorkHandle() {
    if (graph_ != nullptr) gpu::destroy_graph(graph_);
  }

  void replay(const gpu::Exec& exec) const { gpu::launch_graph(graph_, gpu::stream_of(exec)); }

 private:
  gpu::GraphExec graph_ = nullptr;
};

}  // namespace ashlar::impl
#endif
