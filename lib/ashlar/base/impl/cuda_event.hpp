#pragma once

#include <ashlar/base/host_wait.hpp>
#include <ashlar/base/impl/host_event.hpp>
#include <ashlar/base/impl/owned_cuda_event.hpp>

#ifdef KOKKOS_ENABLE_CUDA

namespace ashlar::impl {

/// An event of the CUDA runtime, without a time of its own: those are cheaper.
template <>
class EventHandle<Kokkos::Cuda> {
 public:
  EventHandle(const Kokkos::Cuda& exec, HostWait host_wait)
      : event_(exec, cudaEventDisableTiming | (host_wait == HostWait::sleeps ? cudaEventBlockingSync : 0U)) {}

  void record(const Kokkos::Cuda& exec) { event_.record(exec); }

  void wait(const Kokkos::Cuda& exec) const {
    cuda_check(cudaStreamWaitEvent(exec.cuda_stream(), event_.get(), 0), "cudaStreamWaitEvent");
  }

  void wait() const { event_.wait(); }

 private:
  OwnedCudaEvent event_;
};

}  // namespace ashlar::impl
#endif
