#pragma once

#include <ashlar/base/concepts.hpp>
#include <ashlar/device/runtime/impl/gpu_runtime.hpp>
#include <optional>
#include <type_traits>
#include <utility>

namespace ashlar {

/// How threads of the host wait for an event.
///
/// Where they sleep, the device interrupts a processor each time that it passes the mark, whether anybody waits or not,
/// and to enqueue the mark takes the host longer: 64 us instead of 2, on an H200 in a virtual machine.
enum class HostWait {
  spins,   ///< keeps a processor busy: for events that instances wait for
  sleeps,  ///< leaves the processor to others: for threads that wait long, for few events
};

namespace impl {
template <execution_space Exec>
class EventHandle;
}  // namespace impl

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

  /// Marks the end of the work enqueued on `exec` so far, and drops an earlier mark. `exec` is on the event's device.
  void record(const Exec& exec) { handle_.record(exec); }

  /// Later work on `exec` starts after the marked work has ended. `exec` may be on another device.
  void wait(const Exec& exec) const { handle_.wait(exec); }

  /// Returns when the marked work has ended; how the thread waits, the constructor was told. The mark is not moved
  /// meanwhile. The event's device becomes the calling thread's.
  void wait() const { handle_.wait(); }

 private:
  impl::EventHandle<Exec> handle_;
};

/// Work enqueued on `later` after this call starts after the work enqueued on `earlier` before it has ended.
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

namespace ashlar::impl {

/// The event of a backend that has none: it remembers who recorded, and fences that instance where another waits.
///
/// Backends with events of their own specialise this.
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

#ifdef ASHLAR_HAS_GPU_RUNTIME

namespace ashlar::impl {

/// One owner for one event of the GPU's runtime, on the device of an instance.
class GpuEventHandle {
 public:
  GpuEventHandle(const gpu::Exec& exec, unsigned flags) : device_(gpu::device_of(exec)) {
    const int before = gpu::current_device();
    gpu::set_device(device_);
    try {
      event_ = gpu::create_event(flags);
    } catch (...) {
      gpu::set_device(before);
      throw;
    }
    gpu::set_device(before);
  }
  GpuEventHandle(GpuEventHandle&& other) noexcept
      : device_(other.device_), event_(std::exchange(other.event_, nullptr)) {}
  GpuEventHandle& operator=(GpuEventHandle&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(event_, other.event_);
    return *this;
  }
  ~GpuEventHandle() {
    if (event_ != nullptr) gpu::destroy_event(event_);
  }

  gpu::EventHandle get() const { return event_; }

  void record(const gpu::Exec& exec) { gpu::record_event(event_, gpu::stream_of(exec)); }

  /// The thread is on the event's device from here on: on another one, this would make a context there.
  void wait() const {
    gpu::set_device(device_);
    gpu::synchronize_event(event_);
  }

 private:
  int device_ = 0;
  gpu::EventHandle event_ = nullptr;
};

/// An event of the GPU's runtime, without a time of its own: those are cheaper.
template <>
class EventHandle<gpu::Exec> {
 public:
  EventHandle(const gpu::Exec& exec, HostWait host_wait)
      : event_(exec, gpu::event_without_time | (host_wait == HostWait::sleeps ? gpu::threads_sleep : 0U)) {}

  void record(const gpu::Exec& exec) { event_.record(exec); }
  void wait(const gpu::Exec& exec) const { gpu::wait_for_event(gpu::stream_of(exec), event_.get()); }
  void wait() const { event_.wait(); }

 private:
  GpuEventHandle event_;
};

}  // namespace ashlar::impl
#endif
