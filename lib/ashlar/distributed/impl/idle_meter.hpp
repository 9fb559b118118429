#pragma once

#include <ashlar/base/concepts.hpp>
#include <ashlar/device/events/timed_event.hpp>
#include <optional>

namespace ashlar::impl {

/// Measures how long a rank has nothing to do while it waits for the halo: by marks in the work of the device, if it is
/// asked to; else the host's waits are all that is known.
template <execution_space Exec>
class IdleMeter {
 public:
  void measure_by_device() { timer_.emplace(); }

  /// Calls wait(), behind what was enqueued on `exec`.
  template <class Wait>
  void during(const Exec& exec, const Wait& wait) {
    timer_ ? timer_->during(exec, wait) : wait();
  }

  double seconds(double waited_by_host) const { return timer_ ? timer_->seconds() : waited_by_host; }

 private:
  mutable std::optional<IdleTimer<Exec>> timer_;  // it waits for its marks when it is asked
};

}  // namespace ashlar::impl
