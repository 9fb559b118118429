#pragma once

#include <ashlar/device/impl/gpu_runtime.hpp>
#include <utility>

#ifdef ASHLAR_HAS_GPU_RUNTIME

namespace ashlar::impl {

/// One owner for one event of the GPU's runtime, on the device of an instance.
class GpuEventHandle {
 public:
  GpuEventHandle(const gpu::Exec& exec, unsigned flags) : device_(gpu::device_of(exec)) {
    const int before = gpu::current_device();
    gpu::set_device(device_);
    try {
      event_ = gpu::create_event(flags);
    } catch (...) {
      gpu::set_device(before);
      throw;
    }
    gpu::set_device(before);
  }
  GpuEventHandle(GpuEventHandle&& other) noexcept
      : device_(other.device_), event_(std::exchange(other.event_, nullptr)) {}
  GpuEventHandle& operator=(GpuEventHandle&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(event_, other.event_);
    return *this;
  }
  ~GpuEventHandle() {
    if (event_ != nullptr) gpu::destroy_event(event_);
  }

  gpu::EventHandle get() const { return event_; }

  void record(const gpu::Exec& exec) { gpu::record_event(event_, gpu::stream_of(exec)); }

  /// The thread is on the event's device from here on: on another one, this would make a context there.
  void wait() const {
    gpu::set_device(device_);
    gpu::synchronize_event(event_);
  }

 private:
  int device_ = 0;
  gpu::EventHandle event_ = nullptr;
};

}  // namespace ashlar::impl
#endif
