#pragma once

#include <ashlar/base/concepts.hpp>
#include <ashlar/device/host_wait.hpp>
#include <ashlar/device/impl/gpu_event.hpp>
#include <ashlar/device/impl/host_event.hpp>
#include <type_traits>

namespace ashlar {

/// A mark in the work of one execution-space instance, for which another instance waits on the device: the host goes
/// on. Or a thread of the host waits for it, whoever else is at work on the device.
///
/// Move-only: one owner for one handle. Waiting for an event that was never recorded is no wait.
///
/// Memory   one handle of the backend's, made by the constructor on the device of `exec` and freed by the destructor;
///          an event that somebody still waits for may be destroyed.
/// Async    on CUDA and HIP nothing here waits on the host but wait() without an instance, which any thread may call.
///          Other backends have no events: there wait() fences the instance that recorded, on the host, and so may wait
///          for more than was enqueued before record().
/// Throws   Error naming the call that failed and what the backend says of it.
template <execution_space Exec>
class Event {
 public:
  explicit Event(const Exec& exec = Exec(), HostWait host_wait = HostWait::spins) : handle_(exec, host_wait) {}

  /// Marks what is enqueued on `exec` so far; moves the mark where there was one. `exec` is on the event's device.
  void record(const Exec& exec) { handle_.record(exec); }

  /// What is enqueued on `exec` from here on starts after the marked work has ended. `exec` may be on another device.
  void wait(const Exec& exec) const { handle_.wait(exec); }

  /// Returns when the marked work has ended; how the thread waits, the constructor was told. The mark is not moved
  /// meanwhile. The event's device becomes the calling thread's.
  void wait() const { handle_.wait(); }

 private:
  impl::EventHandle<Exec> handle_;
};

/// What is enqueued on `later` from here on starts after what is enqueued on `earlier` so far has ended.
///
/// Memory   makes an event and frees it; where this is done often, keep an Event.
/// Async    as Event.
template <execution_space Exec>
void wait_for(const Exec& later, const std::type_identity_t<Exec>& earlier) {
  Event<Exec> event(earlier);
  event.record(earlier);
  event.wait(later);
}

}  // namespace ashlar
