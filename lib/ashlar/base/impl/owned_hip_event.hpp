#pragma once

#include <ashlar/base/impl/hip_check.hpp>
#include <utility>

#ifdef KOKKOS_ENABLE_HIP

namespace ashlar::impl {

/// One owner for one event of the HIP runtime, on the device of an instance.
class OwnedHipEvent {
 public:
  OwnedHipEvent(const Kokkos::HIP& exec, unsigned flags) {
    int before = 0;
    hip_check(hipGetDevice(&before), "hipGetDevice");
    hip_check(hipSetDevice(exec.hip_device()), "hipSetDevice");
    const hipError_t created = hipEventCreateWithFlags(&event_, flags);
    hip_check(hipSetDevice(before), "hipSetDevice");
    hip_check(created, "hipEventCreateWithFlags");
  }
  OwnedHipEvent(OwnedHipEvent&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  OwnedHipEvent& operator=(OwnedHipEvent&& other) noexcept {
    std::swap(event_, other.event_);
    return *this;
  }
  ~OwnedHipEvent() {
    if (event_ != nullptr) hip_report(hipEventDestroy(event_), "hipEventDestroy");
  }

  hipEvent_t get() const { return event_; }

  void record(const Kokkos::HIP& exec) { hip_check(hipEventRecord(event_, exec.hip_stream()), "hipEventRecord"); }

 private:
  hipEvent_t event_ = nullptr;
};

}  // namespace ashlar::impl
#endif
