#pragma once

#include <ashlar/device/host_wait.hpp>
#include <ashlar/device/impl/gpu_event_handle.hpp>
#include <ashlar/device/impl/host_event.hpp>

#ifdef ASHLAR_HAS_GPU_RUNTIME

namespace ashlar::impl {

/// An event of the GPU's runtime, without a time of its own: those are cheaper.
template <>
class EventHandle<gpu::Exec> {
 public:
  EventHandle(const gpu::Exec& exec, HostWait host_wait)
      : event_(exec, gpu::event_without_time | (host_wait == HostWait::sleeps ? gpu::threads_sleep : 0U)) {}

  void record(const gpu::Exec& exec) { event_.record(exec); }
  void wait(const gpu::Exec& exec) const { gpu::wait_for_event(gpu::stream_of(exec), event_.get()); }
  void wait() const { event_.wait(); }

 private:
  GpuEventHandle event_;
};

}  // namespace ashlar::impl
#endif
