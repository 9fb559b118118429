#pragma once

#include <ashlar/base/concepts.hpp>
#include <ashlar/device/host_wait.hpp>
#include <optional>
#include <utility>

namespace ashlar::impl {

/// The event of a backend that has none: it remembers who recorded, and fences that instance where another waits.
///
/// Backends with events of their own specialise this, in a file each.
template <execution_space Exec>
class EventHandle {
 public:
  EventHandle(const Exec&, HostWait) {}
  EventHandle(EventHandle&& other) noexcept : recorded_(std::exchange(other.recorded_, std::nullopt)) {}
  EventHandle& operator=(EventHandle&& other) noexcept {
    recorded_ = std::exchange(other.recorded_, std::nullopt);
    return *this;
  }

  void record(const Exec& exec) { recorded_ = exec; }

  void wait(const Exec& exec) const {
    // Work of one instance is in order as it is.
    if (recorded_ && *recorded_ != exec) recorded_->fence("ashlar::Event: wait");
  }

  void wait() const {
    if (recorded_) recorded_->fence("ashlar::Event: wait");
  }

 private:
  std::optional<Exec> recorded_;
};

}  // namespace ashlar::impl
