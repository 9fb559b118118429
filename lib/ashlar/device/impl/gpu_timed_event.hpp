#pragma once

#include <ashlar/device/impl/gpu_event_handle.hpp>
#include <ashlar/device/impl/host_timed_event.hpp>

#ifdef ASHLAR_HAS_GPU_RUNTIME

namespace ashlar::impl {

/// An event of the GPU's runtime, which takes the device's time when it happens.
template <>
class TimedEventHandle<gpu::Exec> {
 public:
  explicit TimedEventHandle(const gpu::Exec& exec) : event_(exec, gpu::timed_event) {}

  void record(const gpu::Exec& exec) { event_.record(exec); }

  double seconds_since(const TimedEventHandle& earlier) const {
    gpu::synchronize_event(earlier.event_.get());
    gpu::synchronize_event(event_.get());
    return gpu::seconds_between(earlier.event_.get(), event_.get());
  }

 private:
  GpuEventHandle event_;
};

}  // namespace ashlar::impl
#endif
