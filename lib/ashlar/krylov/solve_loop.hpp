#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/scalar.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/krylov/concepts.hpp>
#include <ashlar/krylov/impl/iteration_launcher.hpp>
#include <ashlar/krylov/impl/progress_checks.hpp>
#include <ashlar/krylov/impl/solve_state.hpp>
#include <ashlar/krylov/impl/solver_memory.hpp>
#include <ashlar/krylov/method.hpp>
#include <ashlar/krylov/report.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

namespace ashlar {

/// One solve by an iterative method:
///
///     start                      r := b - A x
///     while there is no verdict
///       iterate                  until the recurrence ends, or the monitor ends it
///       finish                   x is brought up to date
///       start                    r := b - A x, the true residual
///       judge                    the status of the recurrence, by the true residual
///
/// The device never waits for the host: while the host checks one interval of iterations, the next is running, unless
/// the solve is expected to end before it. All ranks take the same decisions, because they know the same scalars.
///
/// `launcher`, `checks` and `best_x` (a vector for the best x of all starts) outlive a solve: Solver has them.
template <iterative_method Method>
class SolveLoop {
 public:
  using Exec = typename Method::Exec;
  using Vector = typename Method::Vector;
  using Launcher = impl::IterationLauncher<Method>;
  using Checks = impl::ProgressChecks<Exec, typename Method::Memory>;

  SolveLoop(const Exec& exec, Method& method, Launcher& launcher, Checks& checks, const Vector& best_x,
            const typename Method::RightHandSide& b, const typename Method::Options& options)
      : exec_(exec),
        method_(method),
        launcher_(launcher),
        checks_(checks),
        best_x_(best_x),
        b_(b),
        checkpoints_(options),
        // As seldom as checks are if the host need not wait.
        requests_(options.monitor, checkpoints_.saves(),
                  method.space().agree_max(impl::interval_for(0, method.traffic_bytes(), false, false))) {
    using Real = real_t<typename Method::Scalar>;
    const auto& space = method.space();
    const Vector* z = nullptr;
    if constexpr (Method::has_preconditioned_norms) z = method.m().is_identity() ? nullptr : &method.z();
    norms_b_ = method.norms_of(exec, b, method.r(), z);
    limits_.norm = method.m().is_identity() ? ResidualNorm::unpreconditioned : options.norm;
    norm_b_ = norms_b_.in(limits_.norm);
    target_ = target_residual(options.rtol, std::min(options.atol * b.scale, largest), norm_b_);
    limits_.target = target_;
    limits_.floor = residual_floor(std::numeric_limits<Real>::epsilon(), norm_b_);
    limits_.window = stagnation_window(options.stagnation_window, space.num_global());
    limits_.max_iterations = options.max_iterations;
    limits_.reduction = Method::reduction_of_residual(options);
    interval_ = launcher.choose_interval(options.check_interval);
    // The loop asks a monitor that may stop before it enqueues more: else x would be ahead of the monitor. A
    // checkpoint, too, is of the iterations that the host knows of.
    checks_behind_ =
        space.agree_max(launcher.host_waits() ? 1 : 0) == 0 && !options.monitor.may_stop() && !checkpoints_.saves();
  }

  SolveReport run() {
    if (checkpoints_.resumes()) {
      state_ = checkpoints_.resume(exec_, method_, best_x_, launcher_.explain(), b_.scale, limits_);
      launcher_.restart();
    } else {
      impl::reset_scalars(exec_, method_.memory(), limits_);
      start();
      if (now().is_running()) method_.check_first_start(now());
      judge(SolveStatus::running, largest, true);
    }
    while (verdict_ == SolveStatus::running) {
      const int begun = now().progress.iterations;
      const double before = account().last.norm;
      const SolveStatus claim = iterate();
      method_.finish(exec_);
      start();
      judge(claim, before, now().progress.iterations > begun);
    }
    if (account().is_tightened && account().last.norm <= target_ && verdict_ != SolveStatus::non_finite) {
      verdict_ = SolveStatus::converged;
    }
    examine_failure();
    if (impl::is_best_before(verdict_, account())) {
      Kokkos::deep_copy(exec_, method_.x(), best_x_);
      account().last = account().best;
    }
    return report();
  }

 private:
  using Wish = impl::StopRequests::Wish;
  static constexpr double largest = std::numeric_limits<double>::max();
  /// Iterations without a new smallest residual after which it is worth two products to examine the matrix.
  static constexpr int plateau = 200;

  typename Method::Scalars& now() { return state_.now; }
  SolveAccount& account() { return state_.account; }

  /// r := b - A x, and the scalars begin from it.
  void start() {
    launcher_.restart();
    method_.start(exec_, b_);
    checks_.enqueue(exec_, method_.memory());
    check();
    account().last = {now().progress.last, std::sqrt(now().start_rr), std::sqrt(now().start_zz)};
    state_.true_norms.push_back(account().last.norm);
    if (account().starts++ == 0) account().first = account().best = account().last;
    if (now().is_running() && account().last.norm <= account().best.norm) {
      Kokkos::deep_copy(exec_, best_x_, method_.x());
      account().best = account().last;
      account().has_best = true;
    }
  }

  /// Iterates until the recurrence ends, by its own account: how.
  SolveStatus iterate() {
    const int begun = now().progress.iterations;
    int enqueued = 0;
    StoppingLimits ends = limits_;
    ends.target = now().progress.aim;
    // Without the limit: the iteration stops there by itself, and a graph is always of one length.
    while (now().is_running() && !is_stopped_ && !account().is_unsuited) {
      while (checks_.num_pending() == 0 ||
             (checks_behind_ && checks_.num_pending() == 1 &&
              impl::is_likely_running(state_.norms, ends, now().progress.iterations + interval_))) {
        launcher_.enqueue(exec_, interval_);
        enqueued += interval_;
        checks_.enqueue(exec_, method_.memory());
      }
      check();
      if (std::exchange(is_checkpoint_due_, false) && now().is_running()) {
        checkpoints_.save(exec_, method_, best_x_, launcher_.explain(), b_.scale, state_);
      }
      if (now().progress.iterations - now().progress.best_iteration >= plateau) examine_matrix();
    }
    if (now().is_running() && Method::judges_late) {
      // x has had a step that nobody has counted.
      StoppingLimits one_more = limits_;
      one_more.max_iterations = now().progress.iterations + 1;
      impl::set_limits(exec_, method_.memory(), one_more);
      method_.iterate(exec_);
      ++enqueued;
      checks_.enqueue(exec_, method_.memory());
      state_.now = checks_.wait(state_.norms);
      now().progress.status = SolveStatus::running;
    }
    while (checks_.num_pending() > 0) state_.now = checks_.wait(state_.norms);
    account().iterations_enqueued += launcher_.has_kernel() ? now().progress.iterations - begun : enqueued;
    if (!now().is_running()) return now().progress.status;
    return account().is_unsuited ? SolveStatus::diverged : SolveStatus::interrupted;
  }

  /// Waits for the oldest check that is pending, and asks the monitor.
  void check() {
    state_.now = checks_.wait(state_.norms);
    launcher_.check();
    check_device_work(method_.a());
    check_device_work(method_.m());
    check_device_work(method_.space());
    const Wish wish =
        requests_.ask(method_.space(), now().progress.iterations, relative(now().progress.last), checkpoints_.is_due());
    is_stopped_ = is_stopped_ || wish == Wish::stop;
    is_checkpoint_due_ = is_checkpoint_due_ || (wish != Wish::none && checkpoints_.saves());
  }

  /// Sets the verdict: `running` if the solve goes on from here. `before` is the norm of the true residual at the start
  /// before.
  void judge(SolveStatus claim, double before, bool has_iterated) {
    verdict_ = impl::verdict_of(claim, now().progress.status, Method::is_proof(claim),
                                account().last.norm <= 0.5 * before, has_iterated);
    if (verdict_ == SolveStatus::converged && tightens()) verdict_ = SolveStatus::running;
  }

  double hidden_error() const {
    if (!Method::has_preconditioned_norms || method_.m().is_identity()) return 0;
    return impl::hidden_error(state_.account, norms_b_, limits_, target_);
  }

  /// True if ||r|| is small enough, and ||M^-1 r|| so far from it that the solve goes on to a smaller ||r||.
  bool tightens() {
    const double hidden = hidden_error();
    const bool gains = is_finite(hidden) && hidden > impl::most_hidden_error && hidden <= 0.5 * account().hidden_before;
    if (!gains || now().progress.iterations >= limits_.max_iterations) return false;
    account().hidden_before = hidden;
    account().is_tightened = true;
    limits_.target = 0.5 * account().last.norm / hidden;
    impl::set_limits(exec_, method_.memory(), limits_);
    start();
    return now().is_running();
  }

  /// Once in a solve.
  void examine_matrix() {
    if (std::exchange(account().is_examined, true)) return;
    account().is_unsuited = method_.is_unsuited(exec_, account().products_besides);
  }

  /// A solve that failed may have failed because the method is the wrong one.
  void examine_failure() {
    const bool gained_nothing = account().last.norm > account().first.norm,
               was_long = now().progress.iterations >= plateau;
    if (verdict_ == SolveStatus::indefinite_matrix || verdict_ == SolveStatus::stagnation ||
        verdict_ == SolveStatus::diverged || (verdict_ == SolveStatus::iteration_limit && gained_nothing && was_long)) {
      examine_matrix();
    }
    if (account().is_unsuited && verdict_ != SolveStatus::converged && gained_nothing) {
      verdict_ = SolveStatus::diverged;
    }
  }

  double relative(double norm) const { return norm_b_ > 0 ? norm / norm_b_ : norm; }

  SolveReport report() const {
    SolveReport report = impl::report_of(method_, state_, norms_b_, norm_b_);
    report.status = verdict_;
    report.launch = launcher_.explain();
    report.iterates_in_kernel = launcher_.has_kernel() && report.iterations > 0;
    if (state_.account.is_unsuited) {
      report.warning = Method::unsuited;
    } else if (verdict_ == SolveStatus::converged && hidden_error() > impl::most_hidden_error) {
      report.warning = text("||M^-1 r|| is still ", report.preconditioned_residual,
                            " of ||M^-1 b||: rows of very different size hide errors from the 2-norm; ask for the "
                            "preconditioned norm, or a smaller tolerance");
    }
    return report;
  }

  const Exec& exec_;
  Method& method_;
  Launcher& launcher_;
  Checks& checks_;
  Vector best_x_;
  typename Method::RightHandSide b_;
  impl::Checkpoints<Method> checkpoints_;
  impl::StopRequests requests_;

  impl::RightHandSideNorms norms_b_;
  double norm_b_ = 0, target_ = 0;  ///< in the norm by which the solve is judged
  StoppingLimits limits_;
  int interval_ = 0;
  bool checks_behind_ = false, is_stopped_ = false, is_checkpoint_due_ = false;

  SolveStatus verdict_ = SolveStatus::running;
  impl::SolveState<typename Method::Scalars> state_;
};

}  // namespace ashlar
