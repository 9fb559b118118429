#include <Kokkos_Timer.hpp>
#include <array>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <cg/check.hpp>
#include <cg/solves.hpp>
#include <cstdlib>
#include <support/median.hpp>
#include <support/seconds_of_iteration.hpp>
#include <utility>
#include <vector>

namespace ashlar::perf {

namespace {

/// Multiples of a form's period: hardly an iteration is enqueued in vain, and both have captured what they replay.
std::array<int, 2> iterations_for(const SolverForm& form) {
  constexpr double large = 1e9;  // bytes: an iteration takes long
  if (form.named.bytes > large) return {form.period, 2 * form.period};
  return {2 * form.period, 4 * form.period};
}

}  // namespace

Solves::Solves(const Exec& exec, const CgPerfOptions& options, const CgSystem& system, const Vector<double>& x)
    : exec_(exec),
      samples_(options.samples),
      asked_(options.iterations),
      system_(system),
      x_(x),
      first_x_("perf::first_x", x.extent(0)) {}

Solves::Timed Solves::solve(const SolverForm& form, const CgOptions& options) const {
  Kokkos::deep_copy(exec_, x_, 0.0);
  exec_.fence("perf: before a solve");
  Kokkos::Timer timer;
  SolveReport report = form.solve(options);
  exec_.fence("perf: after a solve");
  return {std::move(report), timer.seconds()};
}

SolveReport Solves::converge(const SolverForm& form) const {
  return solve(form, {.rtol = rtol, .max_iterations = most_iterations}).report;
}

std::string Solves::fault_of(const SolverForm& form, int iterations_one_by_one) const {
  const SolveReport report = converge(form);
  if (report.status != SolveStatus::converged) return text("a solve ends with ", to_string(report.status));
  if (const std::string fault = fault_of_residual(exec_, system_, x_); !fault.empty()) return fault;
  if (std::abs(report.iterations - iterations_one_by_one) > form.slack) {
    return text(report.iterations, " iterations instead of ", iterations_one_by_one);
  }
  Kokkos::deep_copy(exec_, first_x_, x_);
  converge(form);
  return same_bits(exec_, first_x_, x_) ? "" : "a second solve gives other bits";
}

CgTimes Solves::times_of(const SolverForm& form) const {
  CgTimes times;
  times.us = 1e6 * seconds_of_iteration(form);
  std::vector<double> seconds;
  for (int sample = 0; sample < solve_samples; ++sample) {
    const Timed timed = solve(form, {.rtol = rtol, .max_iterations = most_iterations});
    seconds.push_back(timed.seconds / timed.report.iterations);
    times.iterations = timed.report.iterations;
    times.launch = timed.report.launch;
  }
  times.solve_us = 1e6 * median(std::move(seconds));
  return times;
}

double Solves::seconds_of_iteration(const SolverForm& form) const {
  SolveSeconds seconds;
  std::array<int, 2> iterations = iterations_for(form);
  if (!asked_.empty()) iterations = {asked_[0], asked_[1]};
  for (int sample = -1; sample < samples_; ++sample) {
    for (int turn = 0; turn < 2; ++turn) {
      const int which = (sample + 1 + turn) % 2, asked = iterations[which];
      const Timed timed = solve(form, {.rtol = 0, .max_iterations = asked});
      if (timed.report.iterations != asked) {
        throw ArgumentError(
            text("--iterations ", asked),
            text("the solve ends after ", timed.report.iterations, " with ", to_string(timed.report.status)),
            "take fewer");
      }
      if (sample >= 0) seconds[which].push_back(timed.seconds);
    }
  }
  return perf::seconds_of_iteration(seconds, iterations[0], iterations[1]);
}

}  // namespace ashlar::perf
