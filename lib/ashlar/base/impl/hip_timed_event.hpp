#pragma once

#include <ashlar/base/impl/host_timed_event.hpp>
#include <ashlar/base/impl/owned_hip_event.hpp>

#ifdef KOKKOS_ENABLE_HIP

namespace ashlar::impl {

/// An event of the HIP runtime, which takes the device's time when it happens.
template <>
class TimedEventHandle<Kokkos::HIP> {
 public:
  explicit TimedEventHandle(const Kokkos::HIP& exec) : event_(exec, hipEventDefault) {}

  void record(const Kokkos::HIP& exec) { event_.record(exec); }

  double seconds_since(const TimedEventHandle& earlier) const {
    hip_check(hipEventSynchronize(earlier.event_.get()), "hipEventSynchronize");
    hip_check(hipEventSynchronize(event_.get()), "hipEventSynchronize");
    float milliseconds = 0;
    hip_check(hipEventElapsedTime(&milliseconds, earlier.event_.get(), event_.get()), "hipEventElapsedTime");
    return 1e-3 * double(milliseconds);
  }

 private:
  OwnedHipEvent event_;
};

}  // namespace ashlar::impl
#endif
