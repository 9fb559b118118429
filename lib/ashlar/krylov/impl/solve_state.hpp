#pragma once

#include <ashlar/base/scalar.hpp>
#include <ashlar/krylov/checkpoint.hpp>
#include <ashlar/krylov/impl/norms.hpp>
#include <ashlar/krylov/report.hpp>
#include <cstdint>
#include <vector>

// The state of a solve on the host, its report, and its verdicts by the true residual.

namespace ashlar::impl {

/// The state of a solve, as the host knows it.
template <class Scalars>
struct SolveState {
  Scalars now{};  ///< at the last check
  SolveAccount account{};
  std::vector<double> norms{};  ///< of the recurrence, by iteration
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
  const bool may_be_worse = verdict == SolveStatus::diverged || verdict == SolveStatus::accuracy_limit ||
                            verdict == SolveStatus::non_finite;
  return may_be_worse && account.has_best && !(is_finite(account.last.norm) && account.last.norm <= account.best.norm);
}

}  // namespace ashlar::impl
