#pragma once

#include <ashlar/base/impl/cuda_check.hpp>
#include <ashlar/base/impl/host_event.hpp>

#ifdef KOKKOS_ENABLE_CUDA

namespace ashlar::impl {

/// An event of the CUDA runtime, without a time of its own: those are cheaper.
template <>
class EventHandle<Kokkos::Cuda> {
 public:
  explicit EventHandle(const Kokkos::Cuda& exec) {
    int before = 0;
    cuda_check(cudaGetDevice(&before), "cudaGetDevice");
    cuda_check(cudaSetDevice(exec.cuda_device()), "cudaSetDevice");
    const cudaError_t created = cudaEventCreateWithFlags(&event_, cudaEventDisableTiming);
    cuda_check(cudaSetDevice(before), "cudaSetDevice");
    cuda_check(created, "cudaEventCreateWithFlags");
  }
  EventHandle(EventHandle&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  EventHandle& operator=(EventHandle&& other) noexcept {
    std::swap(event_, other.event_);
    return *this;
  }
  ~EventHandle() {
    if (event_ != nullptr) cuda_report(cudaEventDestroy(event_), "cudaEventDestroy");
  }

  void record(const Kokkos::Cuda& exec) { cuda_check(cudaEventRecord(event_, exec.cuda_stream()), "cudaEventRecord"); }

  void wait(const Kokkos::Cuda& exec) const {
    cuda_check(cudaStreamWaitEvent(exec.cuda_stream(), event_, 0), "cudaStreamWaitEvent");
  }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace ashlar::impl
#endif
