#pragma once

#include <ashlar/base/concepts.hpp>
#include <ashlar/device/idle_timer.hpp>
#include <optional>

namespace ashlar {

/// By what it is told how long a rank has had nothing to do, as it waited for others.
enum class IdleClock {
  host,    ///< how long the host waited: a device still had work meanwhile, so that this is the most that it may be
  device,  ///< marks in the work of the device, before and after each wait of the host: some microseconds each
};

}  // namespace ashlar

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
