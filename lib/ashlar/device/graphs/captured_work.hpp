#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/device/runtime/impl/gpu_runtime.hpp>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace ashlar {

template <execution_space Exec>
class CapturedWork;

/// The capture that is under way on this thread (CapturedWork). Objects whose work is captured find it here: they wait
/// for events that are recorded in the same capture alone, and have themselves told of replays, in which no code of
/// theirs runs.
template <execution_space Exec>
class Capture {
 public:
  /// Null if no capture is under way: enqueued work then runs once.
  static Capture* current() { return current_; }

  /// The number of this capture among all captures of the process, from 1.
  std::uint64_t number() const { return number_; }

  /// Calls call(exec) after each replay, which was enqueued on `exec`. The object that call() belongs to must outlive
  /// the captured work.
  void at_replay(std::function<void(const Exec&)> call) { calls_.push_back(std::move(call)); }

 private:
  friend class CapturedWork<Exec>;

  /// This one is under way.
  class Scope {
   public:
    explicit Scope(Capture& capture) : before_(std::exchange(current_, &capture)) {}
    ~Scope() { current_ = before_; }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Capture* before_;
  };

  void tell(const Exec& exec) const {
    for (const auto& call : calls_) call(exec);
  }

  static inline thread_local Capture* current_ = nullptr;
  static inline std::atomic<std::uint64_t> count_{0};

  std::uint64_t number_ = ++count_;
  std::vector<std::function<void(const Exec&)>> calls_;
};

}  // namespace ashlar

namespace ashlar::impl {

/// The captured work of a backend that captures none.
///
/// Backends that do specialise this.
template <execution_space Exec>
class CapturedWorkHandle {
 public:
  static constexpr bool can_capture = false;
};

}  // namespace ashlar::impl

#ifdef ASHLAR_HAS_GPU_RUNTIME

namespace ashlar::impl {

/// One owner for a graph of the GPU's runtime that can be launched.
template <>
class CapturedWorkHandle<gpu::Exec> {
 public:
  static constexpr bool can_capture = true;

  static bool can_capture_from(const gpu::Exec& exec) { return !gpu::is_legacy(gpu::stream_of(exec)); }

  CapturedWorkHandle(const gpu::Exec& exec, const std::function<void()>& enqueue) {
    const gpu::Stream stream = gpu::stream_of(exec);
    gpu::begin_capture(stream);
    try {
      enqueue();
    } catch (...) {
      gpu::abandon_capture(stream);
      throw;
    }
    graph_ = gpu::end_capture(stream);
  }
  CapturedWorkHandle(CapturedWorkHandle&& other) noexcept : graph_(std::exchange(other.graph_, nullptr)) {}
  CapturedWorkHandle& operator=(CapturedWorkHandle&& other) noexcept {
    std::swap(graph_, other.graph_);
    return *this;
  }
  ~CapturedWorkHandle() {
    if (graph_ != nullptr) gpu::destroy_graph(graph_);
  }

  void replay(const gpu::Exec& exec) const { gpu::launch_graph(graph_, gpu::stream_of(exec)); }

 private:
  gpu::GraphExec graph_ = nullptr;
};

}  // namespace ashlar::impl
#endif

namespace ashlar {

/// Work that is enqueued over and over: captured once as a graph of the device, and replayed by one launch. It is
/// enqueued again each time if the backend has no graphs, if the stream cannot be captured (the legacy one), or if a
/// tool watches Kokkos' kernels (and waits around each).
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

  /// True if the backend has graphs.
  static constexpr bool has_graphs = impl::CapturedWorkHandle<Exec>::can_capture;

  /// True if work is captured here, rather than enqueued again each time.
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
