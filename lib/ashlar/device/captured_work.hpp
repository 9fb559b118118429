#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/device/capture.hpp>
#include <ashlar/device/impl/gpu_captured_work.hpp>
#include <ashlar/device/impl/host_captured_work.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace ashlar {

/// Work that is enqueued over and over: captured once as a graph of the device, and replayed by one launch. Where the
/// backend has no graphs, on a stream that cannot be captured (the legacy one), and where a tool watches Kokkos'
/// kernels (which then waits around each), it is enqueued anew each time.
///
/// The work enqueues on `exec`, and on instances that wait there for events of `exec` and for which `exec` waits in the
/// end: always the same kernels with the same arguments. It neither waits on the host nor allocates: so it has run once
/// before (Kokkos sets things up at the first launch of a kernel), and keeps no sums in Kokkos' own scratch memory,
/// which may move (TeamSums). Objects that must know of captures and of replays find them through Capture.
///
/// Move-only. Memory   a graph of the backend's.
/// Async    the constructor runs nothing; replay() enqueues.
/// Throws   Error naming the call that failed, where the work cannot be captured.
template <execution_space Exec>
class CapturedWork {
 public:
  CapturedWork(const Exec& exec, std::function<void()> enqueue) : enqueue_(std::move(enqueue)) {
    if constexpr (Handle::can_capture) {
      if (!can_capture(exec)) return;
      capture_ = std::make_unique<Capture<Exec>>();
      const typename Capture<Exec>::Scope under_way(*capture_);
      handle_.emplace(exec, enqueue_);
    }
  }

  /// Whether the backend has graphs.
  static constexpr bool has_graphs = impl::CapturedWorkHandle<Exec>::can_capture;

  /// Whether work is captured here and now, and not enqueued anew.
  static bool can_capture([[maybe_unused]] const Exec& exec) {
    if constexpr (Handle::can_capture) {
      return Handle::can_capture_from(exec) && !Kokkos::Tools::profileLibraryLoaded();
    } else {
      return false;
    }
  }

  bool is_captured() const { return handle_.has_value(); }

  void replay([[maybe_unused]] const Exec& exec) const {
    if constexpr (Handle::can_capture) {
      if (handle_) {
        handle_->replay(exec);
        return capture_->tell(exec);
      }
    }
    enqueue_();
  }

 private:
  using Handle = impl::CapturedWorkHandle<Exec>;

  std::function<void()> enqueue_;
  std::unique_ptr<Capture<Exec>> capture_;  // where it is captured
  std::optional<Handle> handle_;
};

}  // namespace ashlar
