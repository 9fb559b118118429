#pragma once

#include <ashlar/base/cuda_check.hpp>
#include <utility>

#ifdef KOKKOS_ENABLE_CUDA

namespace ashlar::impl {

/// One owner for one event of the CUDA runtime, on the device of an instance.
class OwnedCudaEvent {
 public:
  OwnedCudaEvent(const Kokkos::Cuda& exec, unsigned flags) : device_(exec.cuda_device()) {
    int before = 0;
    cuda_check(cudaGetDevice(&before), "cudaGetDevice");
    cuda_check(cudaSetDevice(device_), "cudaSetDevice");
    const cudaError_t created = cudaEventCreateWithFlags(&event_, flags);
    cuda_check(cudaSetDevice(before), "cudaSetDevice");
    cuda_check(created, "cudaEventCreateWithFlags");
  }
  OwnedCudaEvent(OwnedCudaEvent&& other) noexcept
      : device_(other.device_), event_(std::exchange(other.event_, nullptr)) {}
  OwnedCudaEvent& operator=(OwnedCudaEvent&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(event_, other.event_);
    return *this;
  }
  ~OwnedCudaEvent() {
    if (event_ != nullptr) cuda_report(cudaEventDestroy(event_), "cudaEventDestroy");
  }

  cudaEvent_t get() const { return event_; }

  void record(const Kokkos::Cuda& exec) { cuda_check(cudaEventRecord(event_, exec.cuda_stream()), "cudaEventRecord"); }

  /// The thread is on the event's device from here on: on another one, this would make a context there.
  void wait() const {
    cuda_check(cudaSetDevice(device_), "cudaSetDevice");
    cuda_check(cudaEventSynchronize(event_), "cudaEventSynchronize");
  }

 private:
  int device_ = 0;
  cudaEvent_t event_ = nullptr;
};

}  // namespace ashlar::impl
#endif
