#pragma once

#include <ashlar/base/hip_check.hpp>
#include <utility>

#ifdef KOKKOS_ENABLE_HIP

namespace ashlar::impl {

/// One owner for one event of the HIP runtime, on the device of an instance.
class OwnedHipEvent {
 public:
  OwnedHipEvent(const Kokkos::HIP& exec, unsigned flags) : device_(exec.hip_device()) {
    int before = 0;
    hip_check(hipGetDevice(&before), "hipGetDevice");
    hip_check(hipSetDevice(device_), "hipSetDevice");
    const hipError_t created = hipEventCreateWithFlags(&event_, flags);
    hip_check(hipSetDevice(before), "hipSetDevice");
    hip_check(created, "hipEventCreateWithFlags");
  }
  OwnedHipEvent(OwnedHipEvent&& other) noexcept
      : device_(other.device_), event_(std::exchange(other.event_, nullptr)) {}
  OwnedHipEvent& operator=(OwnedHipEvent&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(event_, other.event_);
    return *this;
  }
  ~OwnedHipEvent() {
    if (event_ != nullptr) hip_report(hipEventDestroy(event_), "hipEventDestroy");
  }

  hipEvent_t get() const { return event_; }

  void record(const Kokkos::HIP& exec) { hip_check(hipEventRecord(event_, exec.hip_stream()), "hipEventRecord"); }

  /// The thread is on the event's device from here on: on another one, this would make a context there.
  void wait() const {
    hip_check(hipSetDevice(device_), "hipSetDevice");
    hip_check(hipEventSynchronize(event_), "hipEventSynchronize");
  }

 private:
  int device_ = 0;
  hipEvent_t event_ = nullptr;
};

}  // namespace ashlar::impl
#endif
