#pragma once

#include <ashlar/base/impl/host_timed_event.hpp>
#include <ashlar/base/impl/owned_cuda_event.hpp>

#ifdef KOKKOS_ENABLE_CUDA

namespace ashlar::impl {

/// An event of the CUDA runtime, which takes the device's time when it happens.
template <>
class TimedEventHandle<Kokkos::Cuda> {
 public:
  explicit TimedEventHandle(const Kokkos::Cuda& exec) : event_(exec, cudaEventDefault) {}

  void record(const Kokkos::Cuda& exec) { event_.record(exec); }

  double seconds_since(const TimedEventHandle& earlier) const {
    cuda_check(cudaEventSynchronize(earlier.event_.get()), "cudaEventSynchronize");
    cuda_check(cudaEventSynchronize(event_.get()), "cudaEventSynchronize");
    float milliseconds = 0;
    cuda_check(cudaEventElapsedTime(&milliseconds, earlier.event_.get(), event_.get()), "cudaEventElapsedTime");
    return 1e-3 * double(milliseconds);
  }

 private:
  OwnedCudaEvent event_;
};

}  // namespace ashlar::impl
#endif
