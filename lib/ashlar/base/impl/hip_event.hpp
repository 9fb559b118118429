#pragma once

#include <ashlar/base/impl/hip_check.hpp>
#include <ashlar/base/impl/host_event.hpp>

#ifdef KOKKOS_ENABLE_HIP

namespace ashlar::impl {

/// An event of the HIP runtime, without a time of its own: those are cheaper.
template <>
class EventHandle<Kokkos::HIP> {
 public:
  explicit EventHandle(const Kokkos::HIP& exec) {
    int before = 0;
    hip_check(hipGetDevice(&before), "hipGetDevice");
    hip_check(hipSetDevice(exec.hip_device()), "hipSetDevice");
    const hipError_t created = hipEventCreateWithFlags(&event_, hipEventDisableTiming);
    hip_check(hipSetDevice(before), "hipSetDevice");
    hip_check(created, "hipEventCreateWithFlags");
  }
  EventHandle(EventHandle&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  EventHandle& operator=(EventHandle&& other) noexcept {
    std::swap(event_, other.event_);
    return *this;
  }
  ~EventHandle() {
    if (event_ != nullptr) hip_report(hipEventDestroy(event_), "hipEventDestroy");
  }

  void record(const Kokkos::HIP& exec) { hip_check(hipEventRecord(event_, exec.hip_stream()), "hipEventRecord"); }

  void wait(const Kokkos::HIP& exec) const {
    hip_check(hipStreamWaitEvent(exec.hip_stream(), event_, 0), "hipStreamWaitEvent");
  }

 private:
  hipEvent_t event_ = nullptr;
};

}  // namespace ashlar::impl
#endif
