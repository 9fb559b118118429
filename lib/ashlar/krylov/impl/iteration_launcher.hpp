#pragma once

#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/device/graphs/captured_work.hpp>
#include <ashlar/krylov/cg_kernel.hpp>
#include <ashlar/krylov/concepts.hpp>
#include <ashlar/krylov/impl/progress_checks.hpp>
#include <ashlar/krylov/impl/solver_memory.hpp>
#include <ashlar/krylov/solver_options.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace ashlar::impl {

/// How the iterations of a method reach the device: kernel by kernel, as a graph that is replayed, or as one kernel
/// that the operator provides.
template <class Method>
class IterationLauncher {
 public:
  using Exec = typename Method::Exec;

  /// Collective. Throws ArgumentError if the iterations cannot be launched as asked.
  IterationLauncher(const Exec& exec, Method& method, Launch asked) : method_(method) {
    const auto& a = method.a();
    const auto& m = method.m();
    const auto& space = method.space();
    std::string no_kernel;
    if (asked == Launch::persistent || asked == Launch::automatic) {
      auto offer = method.kernel(exec);
      no_kernel = offer.why_not;
      if (offer.kernel && (offer.is_worth_it || asked == Launch::persistent)) kernel_ = std::move(offer.kernel);
    }
    // All parts launch alike.
    if (asked == Launch::persistent && space.agree_max(kernel_ == nullptr) > 0) {
      throw ArgumentError(text(Method::name, ": a persistent kernel"),
                          no_kernel.empty() ? "another part of the system has none" : no_kernel, "choose automatic");
    }
    host_waits_ = !kernel_ && (Memory::is_on_host || !a.is_stream_ordered() || !m.is_stream_ordered() ||
                               !space.is_stream_ordered());
    if (kernel_) {
      method.follow_kernel();
      launch_ = "persistent kernel: " + kernel_->explain();
      return;
    }
    const bool capturable = !Memory::is_on_host && is_capturable(a) && is_capturable(m) && is_capturable(space) &&
                            CapturedWork<Exec>::can_capture(exec);
    may_capture_ = asked != Launch::one_by_one && space.agree_max(!capturable) == 0;
    is_graph_asked_ = asked == Launch::graph;
    if (is_graph_asked_ && !may_capture_) {
      throw ArgumentError(text(Method::name, ": iterations as a graph"),
                          "this backend, its stream, the operator or the preconditioner cannot be captured, or a tool "
                          "watches",
                          "choose automatic");
    }
    if (asked == Launch::automatic) launch_ = text(" (persistent kernel: ", no_kernel, ")");
  }

  /// Chooses the iterations between two checks of a solve: the number asked for, or 0 for as many as are worth one.
  /// Collective.
  int choose_interval(int asked) {
    if (Method::iterates_with_b) graph_.reset();
    int interval = interval_for(asked, method_.traffic_bytes(), host_waits_, kernel_ != nullptr);
    interval = method_.space().agree_max(interval);
    if (may_capture_ && is_graph_asked_) interval = std::max(interval, 2);
    captures_ = may_capture_ && interval > 1;
    // A graph is the same each time: of whole periods.
    constexpr int period = Method::period, most = most_between_checks / period * period;
    captures_ = captures_ && (is_graph_asked_ || 4 * interval >= period);
    if (captures_) interval = std::min((interval + period - 1) / period * period, most);
    return interval;
  }

  /// True if the host waits in each iteration. (In the kernel nobody else multiplies or adds up.)
  bool host_waits() const { return host_waits_; }
  bool has_kernel() const { return kernel_ != nullptr; }

  /// The method has started, or started again.
  void restart() {
    // The first iterations of a period are enqueued as they are, if there are periods.
    if (Method::period > 1) has_run_ = false;
  }

  void enqueue(const Exec& exec, int iterations) {
    if (kernel_) return kernel_->enqueue(exec, iterations);
    const auto enqueue = [this, exec, iterations] {
      for (int k = 0; k < iterations; ++k) method_.iterate(exec);
    };
    // The first time as it is: kernels are set up then.
    if (!captures_ || std::exchange(has_run_, true) == false) return enqueue();
    if (!graph_ || captured_ != iterations) {
      graph_.emplace(exec, enqueue);
      captured_ = iterations;
    }
    graph_->replay(exec);
  }

  /// Throws Error if a kernel that has ended gave up waiting. Called after a wait.
  void check() const {
    if (kernel_) kernel_->check();
  }

  /// For people.
  std::string explain() const {
    return kernel_ ? launch_ : (captures_ ? "a graph for each interval" : "kernel by kernel") + launch_;
  }

 private:
  using Memory = typename Method::Memory;

  Method& method_;
  std::unique_ptr<CgKernel<Exec>> kernel_;
  bool may_capture_ = false, captures_ = false, is_graph_asked_ = false, host_waits_ = false, has_run_ = false;
  std::optional<CapturedWork<Exec>> graph_;
  int captured_ = 0;
  std::string launch_;  ///< of the kernel; else why there is none
};

}  // namespace ashlar::impl
