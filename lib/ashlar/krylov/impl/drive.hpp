#pragma once

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/device/captured_work.hpp>
#include <ashlar/krylov/cg_kernel.hpp>
#include <ashlar/krylov/cg_options.hpp>
#include <ashlar/krylov/concepts.hpp>
#include <ashlar/krylov/impl/cg_memory.hpp>
#include <ashlar/krylov/impl/change_scalars.hpp>
#include <ashlar/krylov/impl/interval.hpp>
#include <ashlar/krylov/impl/progress_checks.hpp>
#include <ashlar/krylov/report.hpp>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ashlar::impl {

/// Runs one form of CG on one system: it enqueues iterations, checks them now and then, and says how it ended. Good
/// for many solves, one after another, with one matrix, one preconditioner and one x.
///
/// The device never waits for the host: while the host checks one interval, the next is running, unless it is
/// expected to be none.
template <class Exec, class Method, class Op, class M>
class Driver {
 public:
  /// `launch` says how iterations are to reach the device.
  ///
  /// Throws   ArgumentError where that cannot be.
  Driver(const Exec& exec, Method method, const Op& a, const M& m, CgLaunch launch)
      : a_(a), m_(m), method_(std::move(method)), checks_(exec) {
    choose_launch(exec, launch);
  }

  const Method& method() const { return method_; }

  /// Solves for b, whose norm is known and not 0, from what x holds.
  template <class B>
  SolveReport solve(const Exec& exec, const B& b, double norm_b, const CgOptions& options) {
    using Scalar = typename Method::Scalar;
    const Kokkos::Profiling::ScopedRegion region(std::string("ashlar::") + Method::name);
    const auto space = a_.space();
    const StoppingLimits limits{target_residual(options.rtol, options.atol, norm_b),
                                residual_floor(std::numeric_limits<real_t<Scalar>>::epsilon(), norm_b),
                                stagnation_window(options.stagnation_window, space.num_global()),
                                options.max_iterations};
    // (In the kernel nobody else multiplies or adds up.)
    const bool host_waits =
        !kernel_ && (!a_.is_stream_ordered() || !m_.is_stream_ordered() || !space.is_stream_ordered());
    int interval =
        space.agree_max(interval_for(options.check_interval, method_.traffic_bytes(), host_waits, kernel_ != nullptr));
    if (captures_ && is_graph_asked_) interval = std::max(interval, 2);
    bool captures = captures_ && interval > 1;
    if constexpr (requires { Method::period; }) {
      // A graph is the same each time: of whole periods.
      captures = captures && (is_graph_asked_ || 4 * interval >= Method::period);
      const int most = most_between_checks / Method::period * Method::period;
      if (captures) interval = std::min((interval + Method::period - 1) / Method::period * Method::period, most);
    }
    // A monitor that may stop is asked before more is enqueued: else x would be past what it has seen.
    const bool checks_behind = space.agree_max(host_waits) == 0 && !options.monitor.may_stop();
    // All ranks agree to stop, which takes a message: as seldom as checks are where the host need not wait.
    const int iterations_between_agreements =
        space.agree_max(interval_for(0, method_.traffic_bytes(), false, kernel_ != nullptr));
    int next_agreement = 0;
    bool wants_stop = false, is_stopped = false;
    std::vector<double> norms;  // of the recurrence, by iteration
    const auto check = [&] {
      const Progress progress = checks_.wait(norms);
      if (kernel_) kernel_->check();
      check_device_work(a_);
      check_device_work(m_);
      check_device_work(space);
      wants_stop = options.monitor.wants_stop(progress.iterations, progress.last / norm_b) || wants_stop;
      if (options.monitor.may_stop() && progress.iterations >= next_agreement) {
        is_stopped = space.agree_max(wants_stop ? 1 : 0) > 0;
        next_agreement = progress.iterations + iterations_between_agreements;
      }
      return progress;
    };
    const auto check_now = [&] {
      checks_.enqueue(exec, method_.memory());
      return check();
    };

    set_limits(exec, limits);
    start(exec, b);
    Progress progress = check_now();
    double residual = progress.last;  // the true one, of the x at the last (re)start
    SolveStatus verdict = progress.status;
    std::int64_t starts = 1, iterations_enqueued = 0;
    while (progress.status == SolveStatus::running) {
      const int begun = progress.iterations;
      int enqueued = 0;
      // Without the limit: the iteration stops there by itself, and a graph is always of one length.
      while (progress.status == SolveStatus::running && !is_stopped) {
        while (checks_.num_pending() == 0 || (checks_behind && checks_.num_pending() == 1 &&
                                              is_likely_running(norms, limits, progress.iterations + interval))) {
          enqueue_interval(exec, interval, captures);
          enqueued += interval;
          checks_.enqueue(exec, method_.memory());
        }
        progress = check();
      }
      while (checks_.num_pending() > 0) progress = checks_.wait(norms);
      iterations_enqueued += kernel_ ? progress.iterations - begun : enqueued;
      verdict = progress.status == SolveStatus::running ? SolveStatus::interrupted : progress.status;

      // The end, by the recurrence. What counts is the residual of the x in hand.
      method_.finish(exec);
      start(exec, b);
      progress = check_now();
      ++starts;
      const double before = std::exchange(residual, progress.last);
      if (progress.status != SolveStatus::running) {
        // Small enough, or no longer a number. Where the recurrence found a fault, that is the one to report.
        if (progress.status == SolveStatus::converged || verdict == SolveStatus::converged) verdict = progress.status;
        break;
      }
      if (verdict != SolveStatus::converged) break;
      // The recurrence has drifted from the residual: start again from here, as long as that gains something.
      if (!(residual <= 0.5 * before)) {
        verdict = SolveStatus::stagnation;
        break;
      }
    }

    SolveReport report;
    report.status = verdict;
    report.iterations = progress.iterations;
    report.products = starts * Method::products_of_start + products_of(iterations_enqueued);
    report.relative_residual = residual / norm_b;
    for (const double norm : norms) report.residual_history.push_back(norm / norm_b);
    const std::int64_t more = starts * Method::products_of_start + products_of(report.iterations) - report.iterations;
    report.bytes_moved = more * (a_.traffic_bytes() + m_.traffic_bytes()) + report.iterations * method_.traffic_bytes();
    report.launch = kernel_ ? launch_ : (captures ? "a graph for each interval" : "kernel by kernel") + launch_;
    report.iterates_in_kernel = kernel_ != nullptr && report.iterations > 0;
    return report;
  }

  /// The scalars of a solve that has not begun. (Not private: nvcc takes no device lambda there.)
  void set_limits(const Exec& exec, const StoppingLimits& limits) {
    change_scalars(
        "ashlar::cg[limits]", exec, method_.memory(), KOKKOS_LAMBDA(CgScalars & s, const double*, double*) {
          s = CgScalars{};
          s.limits = limits;
        });
  }

 private:
  template <class B>
  void start(const Exec& exec, const B& b) {
    // The first iterations of a period are enqueued as they are, where there are periods.
    if constexpr (requires { Method::period; }) has_run_ = false;
    method_.start(exec, b);
  }

  /// Products with the matrix in so many iterations.
  static std::int64_t products_of(std::int64_t iterations) {
    if constexpr (requires { Method::products_of(iterations); }) {
      return Method::products_of(iterations);
    } else {
      return iterations;
    }
  }

  void choose_launch(const Exec& exec, CgLaunch asked) {
    const auto space = a_.space();
    std::string no_kernel;
    if (asked == CgLaunch::persistent || asked == CgLaunch::automatic) {
      auto offer = kernel_of(method_, exec);
      no_kernel = offer.why_not;
      if (offer.kernel && (offer.is_worth_it || asked == CgLaunch::persistent)) kernel_ = std::move(offer.kernel);
    }
    // All parts take the same way, or none does.
    if (asked == CgLaunch::persistent && space.agree_max(kernel_ == nullptr) > 0) {
      throw ArgumentError(text(Method::name, ": a persistent kernel"),
                          no_kernel.empty() ? "another part of the system has none" : no_kernel, "choose automatic");
    }
    if (kernel_) {
      if constexpr (requires { method_.follow_kernel(); }) method_.follow_kernel();
      launch_ = "persistent kernel: " + kernel_->explain();
      return;
    }
    const bool capturable =
        is_capturable(a_) && is_capturable(m_) && is_capturable(space) && CapturedWork<Exec>::can_capture(exec);
    captures_ = asked != CgLaunch::one_by_one && space.agree_max(!capturable) == 0;
    is_graph_asked_ = asked == CgLaunch::graph;
    if (is_graph_asked_ && !captures_) {
      throw ArgumentError(text(Method::name, ": iterations as a graph"),
                          "this backend, its stream, the operator or the preconditioner cannot be captured, or a tool "
                          "watches",
                          "choose automatic");
    }
    if (asked == CgLaunch::automatic) launch_ = text(" (persistent kernel: ", no_kernel, ")");
  }

  template <class Any>
  static CgKernelOffer<Exec> kernel_of(const Any& method, const Exec& exec) {
    if constexpr (requires { method.kernel(exec); }) {
      return method.kernel(exec);
    } else {
      return {nullptr, "this form of CG has none", false};
    }
  }

  void enqueue_interval(const Exec& exec, int iterations, bool captures) {
    if (kernel_) return kernel_->enqueue(exec, iterations);
    const auto enqueue = [this, exec, iterations] {
      for (int k = 0; k < iterations; ++k) method_.enqueue(exec);
    };
    // The first time as it is: kernels are set up then.
    if (!captures || std::exchange(has_run_, true) == false) return enqueue();
    if (!graph_ || captured_ != iterations) {
      graph_.emplace(exec, enqueue);
      captured_ = iterations;
    }
    graph_->replay(exec);
  }

  const Op& a_;
  const M& m_;
  Method method_;
  ProgressChecks<Exec> checks_;
  std::unique_ptr<CgKernel<Exec>> kernel_;
  bool captures_ = false, is_graph_asked_ = false, has_run_ = false;
  std::optional<CapturedWork<Exec>> graph_;
  int captured_ = 0;
  std::string launch_;  ///< of the kernel; else why there is none
};

}  // namespace ashlar::impl
