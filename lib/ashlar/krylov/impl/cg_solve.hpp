#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/krylov/cg_options.hpp>
#include <ashlar/krylov/cg_scalars.hpp>
#include <ashlar/krylov/checkpoint.hpp>
#include <ashlar/krylov/concepts.hpp>
#include <ashlar/krylov/impl/change_scalars.hpp>
#include <ashlar/krylov/impl/interval.hpp>
#include <ashlar/krylov/impl/iteration_launcher.hpp>
#include <ashlar/krylov/impl/on_all_parts.hpp>
#include <ashlar/krylov/impl/progress_checks.hpp>
#include <ashlar/krylov/impl/residual.hpp>
#include <ashlar/krylov/impl/scaling.hpp>
#include <ashlar/krylov/report.hpp>
#include <ashlar/krylov/symmetry_of_products.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace ashlar::impl {

/// One solve by one form of CG:
///
///     start                      r := b - A x
///     while there is no verdict
///       iterate                  until the recurrence ends, or the monitor ends it
///       start                    r := b - A x, the true residual
///       judge                    what the recurrence claims, by the true residual
///
/// The device never waits for the host: while the host checks one interval of iterations, the next is running, unless
/// it is expected to be none. All ranks take the same decisions, as they know the same scalars.
template <class Exec, class Method, class Op, class M, class B>
class CgSolve {
 public:
  using Launcher = IterationLauncher<Exec, Method, Op, M>;
  using Vector = typename Method::Vector;

  /// `best_x` is room for the best x of all starts.
  CgSolve(const Exec& exec, const Op& a, const M& m, Method& method, Launcher& launcher, ProgressChecks<Exec>& checks,
          const Vector& best_x, const ScaledVector<B>& b, const CgOptions& options)
      : exec_(exec),
        a_(a),
        m_(m),
        method_(method),
        launcher_(launcher),
        checks_(checks),
        best_x_(best_x),
        b_(b),
        options_(options) {
    using Real = real_t<typename Method::Scalar>;
    const auto space = a.space();
    norms_b_ = norms_of_right_hand_side(exec, space, method.memory(), m, b, method.r(), method.z());
    limits_.norm = m.is_identity() ? ResidualNorm::unpreconditioned : options.norm;
    norm_b_ = norms_b_.in(limits_.norm);
    target_ = target_residual(options.rtol, std::min(options.atol * b.scale, largest), norm_b_);
    limits_.target = target_;
    limits_.floor = residual_floor(std::numeric_limits<Real>::epsilon(), norm_b_);
    limits_.window = stagnation_window(options.stagnation_window, space.num_global());
    limits_.max_iterations = options.max_iterations;
    interval_ = launcher.choose_interval(space, options.check_interval);
    // A monitor that may stop is asked before more is enqueued: else x would be past what it has seen.
    // So it is before a checkpoint, which is of the iterations that the host knows of.
    checks_behind_ =
        space.agree_max(launcher.host_waits() ? 1 : 0) == 0 && !options.monitor.may_stop() && !options.checkpoints.save;
    // All ranks agree to stop, which takes a message: as seldom as checks are if the host need not wait.
    iterations_between_agreements_ = space.agree_max(interval_for(0, method.traffic_bytes(), false, false));
  }

  SolveReport run() {
    if (options_.checkpoints.resume != nullptr) {
      resume(*options_.checkpoints.resume);
    } else {
      set_limits();
      start();
      if constexpr (Method::multiplies_products) require_range_of_squares();
      judge(SolveStatus::running, largest, true);
    }
    while (verdict_ == SolveStatus::running) {
      const int begun = now_.progress.iterations;
      const double before = account_.last.norm;
      const SolveStatus claim = iterate();
      method_.finish(exec_);
      start();
      judge(claim, before, now_.progress.iterations > begun);
    }
    if (account_.is_tightened && account_.last.norm <= target_ && verdict_ != SolveStatus::non_finite)
      verdict_ = SolveStatus::converged;
    examine_symmetry();
    restore_best();
    return report();
  }

  // nvcc takes no device lambda in a private member.

  /// The scalars of a solve that has not begun.
  void set_limits() {
    const StoppingLimits limits = limits_;
    change_scalars(
        "ashlar::cg[limits]", exec_, method_.memory(), KOKKOS_LAMBDA(CgScalars & s, const double*, double*) {
          s = CgScalars{};
          s.limits = limits;
        });
  }

  void set_max_iterations(int iterations) {
    change_scalars(
        "ashlar::cg[limit]", exec_, method_.memory(),
        KOKKOS_LAMBDA(CgScalars & s, const double*, double*) { s.limits.max_iterations = iterations; });
  }

  void set_target(double target) {
    limits_.target = target;
    change_scalars(
        "ashlar::cg[target]", exec_, method_.memory(),
        KOKKOS_LAMBDA(CgScalars & s, const double*, double*) { s.limits.target = target; });
  }

 private:
  static constexpr double largest = std::numeric_limits<double>::max();

  /// r := b - A x, and the scalars begin from it.
  void start() {
    launcher_.restart();
    method_.start(exec_, b_);
    checks_.enqueue(exec_, method_.memory());
    check();
    account_.last = {now_.progress.last, std::sqrt(now_.start_rr), std::sqrt(now_.start_zz)};
    if (account_.starts++ == 0) account_.first = account_.best = account_.last;
    if (now_.is_running() && account_.last.norm <= account_.best.norm) {
      Kokkos::deep_copy(exec_, best_x_, method_.x());
      account_.best = account_.last;
      account_.has_best = true;
    }
  }

  /// Throws NumericalError if A (A r) cannot be represented. The length of the first step tells how large A is.
  void require_range_of_squares() const {
    using Real = real_t<typename Method::Scalar>;
    if (!m_.is_identity() || !now_.is_running() || now_.alpha <= 0) return;
    constexpr double eps = std::numeric_limits<Real>::epsilon();
    const double square = 1 / (now_.alpha * now_.alpha);
    if (square > std::numeric_limits<Real>::min() / eps && square < std::numeric_limits<Real>::max() * eps) return;
    throw NumericalError(
        text(Method::name, ": products with A are about ", 1 / now_.alpha, " times as large as vectors"),
        text("it multiplies such products by A again, which leaves the range of ",
             scalar_name<typename Method::Scalar>()),
        "scale A by a power of ten, or take a preconditioner");
  }

  /// Iterates until the recurrence ends, by its own account: how.
  SolveStatus iterate() {
    const int begun = now_.progress.iterations;
    int enqueued = 0;
    // Without the limit: the iteration stops there by itself, and a graph is always of one length.
    while (now_.is_running() && !is_stopped_ && !account_.is_unsymmetric) {
      while (checks_.num_pending() == 0 || (checks_behind_ && checks_.num_pending() == 1 &&
                                            is_likely_running(norms_, limits_, now_.progress.iterations + interval_))) {
        launcher_.enqueue(exec_, interval_);
        enqueued += interval_;
        checks_.enqueue(exec_, method_.memory());
      }
      check();
      if (std::exchange(is_checkpoint_due_, false) && now_.is_running()) save_checkpoint();
      if (now_.progress.iterations - now_.progress.best_iteration >= plateau) test_symmetry();
    }
    if (now_.is_running() && Method::judges_late) {
      // x has had a step that nobody has counted.
      set_max_iterations(now_.progress.iterations + 1);
      method_.enqueue(exec_);
      ++enqueued;
      checks_.enqueue(exec_, method_.memory());
      now_ = checks_.wait(norms_);
      now_.progress.status = SolveStatus::running;
    }
    while (checks_.num_pending() > 0) now_ = checks_.wait(norms_);
    account_.iterations_enqueued += launcher_.has_kernel() ? now_.progress.iterations - begun : enqueued;
    if (!now_.is_running()) return now_.progress.status;
    return account_.is_unsymmetric ? SolveStatus::diverged : SolveStatus::interrupted;
  }

  void check() {
    now_ = checks_.wait(norms_);
    launcher_.check();
    check_device_work(a_);
    check_device_work(m_);
    check_device_work(a_.space());
    const int iterations = now_.progress.iterations;
    wants_stop_ = options_.monitor.wants_stop(iterations, relative(now_.progress.last)) || wants_stop_;
    const auto& checkpoints = options_.checkpoints;
    if ((options_.monitor.may_stop() || checkpoints.save) && iterations >= next_agreement_) {
      const bool wants_save = checkpoints.save && checkpoints.is_due && checkpoints.is_due();
      const int wish = a_.space().agree_max(wants_stop_ ? 2 : wants_save ? 1 : 0);
      is_stopped_ = wish == 2;
      is_checkpoint_due_ = wish > 0 && checkpoints.save;
      next_agreement_ = iterations + iterations_between_agreements_;
    }
  }

  /// x, the best x, and what else an iteration reads before it writes it.
  std::vector<Vector> state() const {
    std::vector<Vector> vectors = {Vector(method_.x().data(), method_.x().extent(0)), best_x_};
    if constexpr (requires { method_.state(); }) {
      for (const Vector& vector : method_.state()) vectors.push_back(vector);
    }
    return vectors;
  }

  void save_checkpoint() const {
    using Scalar = typename Method::Scalar;
    CgCheckpoint checkpoint{launcher_.explain(), scalar_name<Scalar>(), b_.scale, now_, account_, norms_, {}};
    for (const Vector& vector : state()) {
      std::vector<std::byte>& bytes = checkpoint.vectors.emplace_back(vector.extent(0) * sizeof(Scalar));
      Kokkos::deep_copy(exec_, host_view(bytes.data(), vector.extent(0)), vector);
    }
    exec_.fence("ashlar::cg: checkpoint");
    options_.checkpoints.save(checkpoint);
  }

  /// Collective. Throws ArgumentError if the checkpoint is of another solve, as far as it shows.
  void resume(const CgCheckpoint& checkpoint) {
    using Scalar = typename Method::Scalar;
    const std::vector<Vector> vectors = state();
    check_on_all_parts(a_.space(), Method::name, [&] {
      const auto require = [](bool holds, const std::string& problem) {
        if (holds) return;
        throw ArgumentError("the checkpoint is " + problem, "a solve goes on from a checkpoint of its own alone",
                            "start without it, or with the system and the options of the solve before");
      };
      require(checkpoint.scalar == scalar_name<Scalar>(), "of vectors of " + checkpoint.scalar);
      require(checkpoint.launch == launcher_.explain(), "of iterations launched as " + checkpoint.launch);
      require(checkpoint.scale == b_.scale, "of another right-hand side");
      require(checkpoint.vectors.size() == vectors.size(), "of another preconditioner");
      for (std::size_t k = 0; k < vectors.size(); ++k) {
        require(checkpoint.vectors[k].size() == vectors[k].extent(0) * sizeof(Scalar), "of another number of rows");
      }
    });
    for (std::size_t k = 0; k < vectors.size(); ++k) {
      Kokkos::deep_copy(exec_, vectors[k], host_view(checkpoint.vectors[k].data(), vectors[k].extent(0)));
    }
    now_ = checkpoint.scalars;
    limits_.target = now_.limits.target;
    now_.limits = limits_;
    account_ = checkpoint.account;
    norms_ = checkpoint.norms;
    Kokkos::deep_copy(exec_, method_.memory().scalars, Kokkos::View<const CgScalars, Kokkos::HostSpace>(&now_));
    exec_.fence("ashlar::cg: resumed");
    launcher_.restart();
    verdict_ = SolveStatus::running;
  }

  template <class Byte>
  static auto host_view(Byte* bytes, std::size_t n) {
    using Scalar = std::conditional_t<std::is_const_v<Byte>, const typename Method::Scalar, typename Method::Scalar>;
    return Kokkos::View<Scalar*, Kokkos::HostSpace>(reinterpret_cast<Scalar*>(bytes), n);
  }

  /// Sets the verdict: `running` if the solve goes on from here. `before` is the norm of the true residual at the start
  /// before.
  void judge(SolveStatus claim, double before, bool has_iterated) {
    const SolveStatus truth = now_.progress.status;
    // What a recurrence says of p^H A p is no proof. The first step after a start computes it.
    const bool is_proof =
        !Method::judges_by_recurrence || (claim != SolveStatus::indefinite_matrix && claim != SolveStatus::breakdown);
    if (truth == SolveStatus::converged) {
      verdict_ = tightens() ? SolveStatus::running : truth;
    } else if (truth != SolveStatus::running) {
      const bool is_open = claim == SolveStatus::running || claim == SolveStatus::converged || !is_proof;
      verdict_ = is_open ? truth : claim;
    } else if (claim == SolveStatus::converged) {
      // The recurrence has drifted from the residual: again from here, as long as that gains something.
      verdict_ = account_.last.norm <= 0.5 * before ? SolveStatus::running : SolveStatus::accuracy_limit;
    } else {
      verdict_ = !is_proof && has_iterated ? SolveStatus::running : claim;
    }
  }

  /// ||M^-1 r|| / ||M^-1 b|| over the part of ||b|| that may be left: far above 1 if rows of very different size hide
  /// the error of some of them from the 2-norm.
  double hidden_error() const {
    if (limits_.norm != ResidualNorm::unpreconditioned || m_.is_identity() || norms_b_.preconditioned <= 0) return 0;
    return account_.last.preconditioned / norms_b_.preconditioned * (norm_b_ / target_);
  }
  static constexpr double most_hidden_error = 1000;

  /// Whether ||r|| is small enough, and ||M^-1 r|| so far from it that the solve goes on to a smaller ||r||.
  bool tightens() {
    const double hidden = hidden_error();
    const bool gains = is_finite(hidden) && hidden > most_hidden_error && hidden <= 0.5 * account_.hidden_before;
    if (!gains || now_.progress.iterations >= limits_.max_iterations) return false;
    account_.hidden_before = hidden;
    account_.is_tightened = true;
    set_target(0.5 * account_.last.norm / hidden);
    start();
    return now_.is_running();
  }

  /// Iterations without a new smallest residual after which the symmetry of A is worth two products.
  static constexpr int plateau = 200;

  /// Multiplies by A twice, once in a solve.
  void test_symmetry() {
    if (account_.is_symmetry_tested) return;
    account_.is_symmetry_tested = true;
    using Scalar = typename Method::Scalar;
    const double tolerance = std::max(1e-8, 10 * double(std::numeric_limits<real_t<Scalar>>::epsilon()));
    const auto products = symmetry_of_products<Scalar>(exec_, a_);
    if (!products) return;
    account_.products_besides += 2;
    account_.is_unsymmetric = is_finite(products->magnitude) && !products->is_symmetric(tolerance);
  }

  /// A solve that failed may have failed since CG is the wrong method.
  void examine_symmetry() {
    const bool gained_nothing = account_.last.norm > account_.first.norm,
               was_long = now_.progress.iterations >= plateau;
    if (verdict_ == SolveStatus::indefinite_matrix || verdict_ == SolveStatus::stagnation ||
        verdict_ == SolveStatus::diverged || (verdict_ == SolveStatus::iteration_limit && gained_nothing && was_long)) {
      test_symmetry();
    }
    if (account_.is_unsymmetric && verdict_ != SolveStatus::converged && gained_nothing)
      verdict_ = SolveStatus::diverged;
  }

  /// Where iterating has made the residual larger, or rounding has, x is the best of all starts.
  void restore_best() {
    const bool may_be_worse = verdict_ == SolveStatus::diverged || verdict_ == SolveStatus::accuracy_limit ||
                              verdict_ == SolveStatus::non_finite;
    if (!may_be_worse || !account_.has_best ||
        (is_finite(account_.last.norm) && account_.last.norm <= account_.best.norm))
      return;
    Kokkos::deep_copy(exec_, method_.x(), best_x_);
    account_.last = account_.best;
  }

  double relative(double norm) const { return norm_b_ > 0 ? norm / norm_b_ : norm; }

  SolveReport report() const {
    const auto ratio = [](double a, double b) { return b > 0 ? a / b : a; };
    SolveReport report;
    report.status = verdict_;
    report.iterations = now_.progress.iterations;
    report.products = account_.starts * Method::products_of_start + products_of(account_.iterations_enqueued) +
                      account_.products_besides;
    report.relative_residual = ratio(account_.last.two, norms_b_.unpreconditioned);
    report.preconditioned_residual = ratio(account_.last.preconditioned, norms_b_.preconditioned);
    for (const double norm : norms_) report.residual_history.push_back(relative(norm));
    const std::int64_t more =
        account_.starts * Method::products_of_start + products_of(report.iterations) - report.iterations;
    report.bytes_moved = more * (a_.traffic_bytes() + m_.traffic_bytes()) +
                         account_.products_besides * a_.traffic_bytes() + report.iterations * method_.traffic_bytes();
    report.launch = launcher_.explain();
    report.iterates_in_kernel = launcher_.has_kernel() && report.iterations > 0;
    if (account_.is_unsymmetric) {
      report.warning = "A is not symmetric, by two products with pseudo-random vectors; CG needs a symmetric matrix";
    } else if (verdict_ == SolveStatus::converged && hidden_error() > most_hidden_error) {
      report.warning = text("||M^-1 r|| is still ", report.preconditioned_residual,
                            " of ||M^-1 b||: rows of very different size hide errors from the 2-norm; ask for the "
                            "preconditioned norm, or a smaller tolerance");
    }
    return report;
  }

  /// Products with the matrix in so many iterations.
  static std::int64_t products_of(std::int64_t iterations) {
    if constexpr (requires { Method::products_of(iterations); }) {
      return Method::products_of(iterations);
    } else {
      return iterations;
    }
  }

  const Exec& exec_;
  const Op& a_;
  const M& m_;
  Method& method_;
  Launcher& launcher_;
  ProgressChecks<Exec>& checks_;
  Vector best_x_;
  ScaledVector<B> b_;
  const CgOptions& options_;

  RightHandSideNorms norms_b_;
  double norm_b_ = 0, target_ = 0;  ///< in the norm by which the solve is judged
  StoppingLimits limits_;
  int interval_ = 0, iterations_between_agreements_ = 0, next_agreement_ = 0;
  bool checks_behind_ = false, wants_stop_ = false, is_stopped_ = false, is_checkpoint_due_ = false;

  SolveStatus verdict_ = SolveStatus::running;
  CgScalars now_;              ///< at the last check
  std::vector<double> norms_;  ///< of the recurrence, by iteration
  CgAccount account_;
};

}  // namespace ashlar::impl
