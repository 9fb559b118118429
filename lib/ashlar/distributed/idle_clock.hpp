#pragma once

#include <ashlar/base/concepts.hpp>
#include <ashlar/device/events/timed_event.hpp>
#include <optional>

namespace ashlar {

/// How the idle time of a rank, in which it waits for other ranks, is measured.
enum class IdleClock {
  host,    ///< by the time for which the host waits: an upper bound, since the device may still have work
  device,  ///< by marks on the device before and after each wait of the host, which take some microseconds each
};

}  // namespace ashlar

namespace ashlar::impl {

/// Measures the idle time of a rank: by marks on the device if asked to, else by the waits of the host.
template <execution_space Exec>
class IdleMeter {
 public:
  void measure_by_device() { timer_.emplace(); }

  /// Calls wait(), after the work enqueued on `exec`.
  template <class Wait>
  void during(const Exec& exec, const Wait& wait) {
    timer_ ? timer_->during(exec, wait) : wait();
  }

  double seconds(double waited_by_host) const { return timer_ ? timer_->seconds() : waited_by_host; }

 private:
  mutable std::optional<IdleTimer<Exec>> timer_;  // waits for its marks when read
};

}  // namespace ashlar::impl
