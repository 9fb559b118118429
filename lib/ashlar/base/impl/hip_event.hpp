#pragma once

#include <ashlar/base/host_wait.hpp>
#include <ashlar/base/impl/host_event.hpp>
#include <ashlar/base/impl/owned_hip_event.hpp>

#ifdef KOKKOS_ENABLE_HIP

namespace ashlar::impl {

/// An event of the HIP runtime, without a time of its own: those are cheaper.
template <>
class EventHandle<Kokkos::HIP> {
 public:
  EventHandle(const Kokkos::HIP& exec, HostWait host_wait)
      : event_(exec, hipEventDisableTiming | (host_wait == HostWait::sleeps ? hipEventBlockingSync : 0U)) {}

  void record(const Kokkos::HIP& exec) { event_.record(exec); }

  void wait(const Kokkos::HIP& exec) const {
    hip_check(hipStreamWaitEvent(exec.hip_stream(), event_.get(), 0), "hipStreamWaitEvent");
  }

  void wait() const { event_.wait(); }

 private:
  OwnedHipEvent event_;
};

}  // namespace ashlar::impl
#endif
