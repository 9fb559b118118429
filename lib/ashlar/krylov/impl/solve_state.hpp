#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/krylov/checkpoint.hpp>
#include <ashlar/krylov/impl/norms.hpp>
#include <ashlar/krylov/impl/on_all_parts.hpp>
#include <ashlar/krylov/report.hpp>
#include <ashlar/krylov/stopping.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

// The state of a solve on the host, its report, and its verdicts by the true residual.

namespace ashlar::impl {

/// The state of a solve, as the host knows it.
template <class Scalars>
struct SolveState {
  Scalars now{};  ///< at the last check
  SolveAccount account{};
  std::vector<double> norms{};       ///< of the recurrence, by iteration
  std::vector<double> true_norms{};  ///< of the true residual, by start
};

/// Counts and residuals of a solve that has ended. `norm_b` is the norm of b that residuals of the recurrence are
/// relative to.
template <class Method>
SolveReport report_of(const Method& method, const SolveState<typename Method::Scalars>& state,
                      const RightHandSideNorms& norms_b, double norm_b) {
  const auto ratio = [](double a, double b) { return b > 0 ? a / b : a; };
  const SolveAccount& account = state.account;
  const std::int64_t of_starts = account.starts * Method::products_of_start;
  SolveReport report;
  report.iterations = state.now.progress.iterations;
  report.products = of_starts + Method::products_of(account.iterations_enqueued) + account.products_besides;
  report.relative_residual = ratio(account.last.two, norms_b.unpreconditioned);
  report.preconditioned_residual = ratio(account.last.preconditioned, norms_b.preconditioned);
  for (const double norm : state.norms) report.residual_history.push_back(ratio(norm, norm_b));
  for (const double norm : state.true_norms) report.true_residuals.push_back(ratio(norm, norm_b));
  const std::int64_t of_a = method.a().traffic_bytes(), of_m = method.m().traffic_bytes(),
                     more = of_starts + Method::products_of(report.iterations) - report.iterations;
  report.bytes_moved =
      more * (of_a + of_m) + account.products_besides * of_a + report.iterations * method.traffic_bytes();
  return report;
}

/// The verdict at a start, `running` if the solve goes on from there: `claim` is the status that ended the iterations
/// before it, `truth` is the status of the true residual.
///
/// `is_proof`: whether the claim holds whatever the residual is. `gains`: whether the true residual has halved since
/// the start before.
inline SolveStatus verdict_of(SolveStatus claim, SolveStatus truth, bool is_proof, bool gains, bool has_iterated) {
  if (truth == SolveStatus::converged) return truth;
  if (truth != SolveStatus::running) {
    const bool is_open = claim == SolveStatus::running || claim == SolveStatus::converged || !is_proof;
    return is_open ? truth : claim;
  }
  // The recurrence has drifted from the residual: again from here, as long as that gains something.
  if (claim == SolveStatus::converged) return gains ? SolveStatus::running : SolveStatus::accuracy_limit;
  return !is_proof && has_iterated ? SolveStatus::running : claim;
}

/// ||M^-1 r|| / ||M^-1 b|| over the part of ||b|| that may be left: far above 1 if rows of very different size hide
/// the error of some of them from the 2-norm.
inline double hidden_error(const SolveAccount& account, const RightHandSideNorms& b, const StoppingLimits& limits,
                           double target) {
  if (limits.norm != ResidualNorm::unpreconditioned || b.preconditioned <= 0) return 0;
  return account.last.preconditioned / b.preconditioned * (b.unpreconditioned / target);
}
inline constexpr double most_hidden_error = 1000;

/// True if x may be worse than the best x of all starts: iterating or rounding has made the residual larger.
inline bool is_best_before(SolveStatus verdict, const SolveAccount& account) {
  const bool may_be_worse = verdict == SolveStatus::diverged || verdict == SolveStatus::stagnation ||
                            verdict == SolveStatus::accuracy_limit || verdict == SolveStatus::non_finite;
  return may_be_worse && account.has_best && !(is_finite(account.last.norm) && account.last.norm <= account.best.norm);
}

/// Saves and restores a solve between two iterations, as its options ask for. Without them, and for methods without
/// checkpoints, it does nothing.
template <class Method>
class Checkpoints {
 public:
  using Exec = typename Method::Exec;
  using Scalar = typename Method::Scalar;
  using Vector = typename Method::Vector;
  using State = SolveState<typename Method::Scalars>;

  explicit Checkpoints(const typename Method::Options& options) {
    if constexpr (Method::has_checkpoints) asked_ = &options.checkpoints;
  }

  bool saves() const { return asked_ != nullptr && asked_->save; }
  bool is_due() const { return saves() && asked_->is_due && asked_->is_due(); }
  bool resumes() const { return asked_ != nullptr && asked_->resume != nullptr; }

  /// Waits for `exec`.
  void save(const Exec& exec, const Method& method, const Vector& best_x, const std::string& launch, double scale,
            const State& state) const {
    if constexpr (Method::has_checkpoints) {
      CgCheckpoint checkpoint{launch, scalar_name<Scalar>(), scale, state.now, state.account, state.norms, {}};
      for (const Vector& vector : vectors(method, best_x)) {
        std::vector<std::byte>& bytes = checkpoint.vectors.emplace_back(vector.extent(0) * sizeof(Scalar));
        Kokkos::deep_copy(exec, host_view(bytes.data(), vector.extent(0)), vector);
      }
      exec.fence("ashlar::solver: checkpoint");
      asked_->save(checkpoint);
    }
  }

  /// The state of the solve that was saved, with its vectors in place; the scalars get `limits`, whose target becomes
  /// the smaller one that the solve has gone on to, if it has (SolveLoop::tightens()). Collective. Throws ArgumentError
  /// if the checkpoint is of another solve, as far as it shows.
  State resume(const Exec& exec, const Method& method, const Vector& best_x, const std::string& launch, double scale,
               StoppingLimits& limits) const {
    State state;
    if constexpr (Method::has_checkpoints) {
      const CgCheckpoint& checkpoint = *asked_->resume;
      const std::vector<Vector> to = vectors(method, best_x);
      check_on_all_parts(method.space(), Method::name, [&] {
        const auto require = [](bool holds, const std::string& problem) {
          if (holds) return;
          throw ArgumentError("the checkpoint is " + problem, "a solve goes on from a checkpoint of its own alone",
                              "start without it, or with the system and the options of the solve before");
        };
        require(checkpoint.scalar == scalar_name<Scalar>(), "of vectors of " + checkpoint.scalar);
        require(checkpoint.launch == launch, "of iterations launched as " + checkpoint.launch);
        require(checkpoint.scale == scale, "of another right-hand side");
        require(checkpoint.vectors.size() == to.size(), "of another preconditioner");
        for (std::size_t k = 0; k < to.size(); ++k) {
          require(checkpoint.vectors[k].size() == to[k].extent(0) * sizeof(Scalar), "of another number of rows");
        }
      });
      for (std::size_t k = 0; k < to.size(); ++k) {
        Kokkos::deep_copy(exec, to[k], host_view(checkpoint.vectors[k].data(), to[k].extent(0)));
      }
      state = {checkpoint.scalars, checkpoint.account, checkpoint.norms, {}};
      if (state.account.is_tightened) limits.target = std::min(limits.target, state.now.limits.target);
      state.now.limits = limits;
      state.now.progress.aim = limits.target;
      const Kokkos::View<const CgScalars, Kokkos::HostSpace> now(&state.now);
      Kokkos::deep_copy(exec, method.memory().scalars, now);
      exec.fence("ashlar::solver: resumed");
    }
    return state;
  }

 private:
  static std::vector<Vector> vectors(const Method& method, const Vector& best_x) {
    std::vector<Vector> all = {method.x(), best_x};
    for (const Vector& vector : method.state()) all.push_back(vector);
    return all;
  }

  template <class Byte>
  static auto host_view(Byte* bytes, std::size_t n) {
    using Entry = std::conditional_t<std::is_const_v<Byte>, const Scalar, Scalar>;
    return Kokkos::View<Entry*, Kokkos::HostSpace>(reinterpret_cast<Entry*>(bytes), n);
  }

  const CgCheckpoints* asked_ = nullptr;
};

}  // namespace ashlar::impl
