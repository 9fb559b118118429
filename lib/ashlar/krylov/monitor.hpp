#pragma once

#include <concepts>
#include <functional>
#include <type_traits>
#include <utility>

namespace ashlar {

/// What a monitor wants of the solve that it watches.
enum class MonitorAction { proceed, stop };

/// A function that a solver calls at each convergence check, with the iterations done and the relative residual.
///
/// It returns nothing, or a MonitorAction: a monitor that returns `stop` ends the solve with SolveStatus::interrupted,
/// and x is the iterate that the report tells of. Over ranks every rank has a monitor of the same kind; one that
/// returns `stop` on any rank ends the solve on all of them.
class Monitor {
 public:
  Monitor() = default;

  /// Empty if `function` is, as a std::function may be.
  template <class F>
  requires std::invocable<F&, int, double> &&(!std::same_as<std::remove_cvref_t<F>, Monitor>)
      Monitor(F function) {  // NOLINT(google-explicit-constructor): a lambda is a monitor
    using Result = std::invoke_result_t<F&, int, double>;
    if constexpr (requires { static_cast<bool>(function); } && !std::is_pointer_v<F> &&
                  std::is_constructible_v<F, std::nullptr_t>) {
      if (!static_cast<bool>(function)) return;
    }
    if constexpr (std::is_same_v<Result, MonitorAction>) {
      may_stop_ = true;
      function_ = std::move(function);
    } else {
      static_assert(std::is_void_v<Result>, "ashlar::Monitor: a monitor returns nothing, or a MonitorAction");
      function_ = [f = std::move(function)](int iterations, double residual) mutable {
        f(iterations, residual);
        return MonitorAction::proceed;
      };
    }
  }

  explicit operator bool() const { return static_cast<bool>(function_); }

  /// Whether it may return `stop`. Solvers then wait for its answer before they enqueue more iterations.
  bool may_stop() const { return may_stop_; }

  /// The monitor of a step of a longer solve, which begins after so many iterations, at such a residual.
  Monitor seen_from(int iterations, double residual) const {
    Monitor monitor;
    monitor.may_stop_ = may_stop_;
    monitor.function_ = [whole = function_, iterations, residual](int done, double of_step) {
      return whole(iterations + done, of_step * residual);
    };
    return monitor;
  }

  /// Whether to stop; an empty monitor never wants to.
  bool wants_stop(int iterations, double residual) const {
    return function_ && function_(iterations, residual) == MonitorAction::stop;
  }

 private:
  std::function<MonitorAction(int, double)> function_;
  bool may_stop_ = false;
};

}  // namespace ashlar
