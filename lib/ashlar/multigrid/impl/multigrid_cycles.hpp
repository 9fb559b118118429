#pragma once

#include <ashlar/base/scalar.hpp>
#include <ashlar/cycles/executors.hpp>
#include <ashlar/multigrid/multigrid.hpp>
#include <ashlar/multigrid/operator.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

// Running cycles, and solves by them.

namespace ashlar::multigrid {

template <execution_space Exec, class Real>
struct Multigrid<Exec, Real>::Executors {
  const Multigrid* multigrid;

  /// (Whoever measures phases waits between them.)
  template <class Work>
  void graph(const Exec& exec, const cycles::Part& part, const Work& work) const {
    multigrid->levels_.front().times == nullptr ? multigrid->graphs_.run(exec, part.id, work) : work();
  }
  void one_kernel(const Exec& exec, const cycles::Part& part) const {
    const auto first = static_cast<std::size_t>(part.steps.front().level);
    multigrid->levels_[first].timed(exec, Phase::one_kernel, [&] { multigrid->programs_.enqueue(exec, part.id); });
  }
  /// Restriction has brought r to the host; interpolation takes u back.
  void host(const Exec& exec, const cycles::Part& part) const {
    const auto& host = *multigrid->host_;
    host.timed(
        exec, [&](const auto& instance) { host.levels().run_parts(instance, host.levels().handed_over_.at(part.id)); });
  }
};

template <execution_space Exec, class Real>
const typename Multigrid<Exec, Real>::Parts& Multigrid<Exec, Real>::cycle_of(std::size_t number,
                                                                             LevelCycle kind) const {
  return cycles_[number * all_level_cycles.size() + std::size_t(kind)];
}

template <execution_space Exec, class Real>
std::string Multigrid<Exec, Real>::describe_cycle(LevelCycle kind, std::size_t number) const {
  if (is_on_host(number)) return host_->levels().describe_cycle(kind, number - levels_.size());
  return cycles::describe(cycle_of(number, kind));
}

template <execution_space Exec, class Real>
void Multigrid<Exec, Real>::run_cycle(const Exec& exec, std::size_t number, LevelCycle kind) const {
  if (!is_on_host(number)) return run_parts(exec, cycle_of(number, kind));
  exec.fence("ashlar::multigrid: what comes to the device");
  host_->timed(exec, [&](const auto& instance) { host_->levels().run_cycle(instance, number - levels_.size(), kind); });
}

template <execution_space Exec, class Real>
void Multigrid<Exec, Real>::run_parts(const Exec& exec, const Parts& parts) const {
  cycles::run(exec, parts, of_cycles_, Executors{this});
}

template <execution_space Exec, class Real>
CycleReport Multigrid<Exec, Real>::solve(const Exec& exec, Cycle cycle, std::size_t number, double rtol,
                                         int max_cycles) const {
  if (is_on_host(number)) {
    exec.fence("ashlar::multigrid: what comes to the device");
    return host_->timed(exec, [&](const auto& instance) {
      return host_->levels().solve(instance, cycle, number - levels_.size(), rtol, max_cycles);
    });
  }
  const Level<Exec, Real>& level = levels_[number];
  CycleReport report;
  report.norm_of_f = max_norm(exec, level, level.f);
  const std::int64_t iterations_before = bottom_iterations();
  const auto judge = [&] {
    residual(exec, level, level.u, level.f, level.temp);
    report.norms.push_back(max_norm(exec, level, level.temp));
    report.rel = report.norm_of_f > 0 ? report.norms.back() / report.norm_of_f : report.norms.back();
    report.converged = is_finite(report.rel) && (cycle == Cycle::f || report.rel < rtol);
  };
  Kokkos::deep_copy(exec, level.u, 0.0);
  Kokkos::deep_copy(exec, level.r, level.f);
  if (cycle != Cycle::v) {
    run_cycle(exec, number, LevelCycle::f);
    judge();
  }
  for (int v = 0; cycle != Cycle::f && v < max_cycles && !report.converged; ++v) {
    run_cycle(exec, number, LevelCycle::v);
    judge();
    if (!is_finite(report.rel)) break;
  }
  check();
  report.bottom_iterations = static_cast<int>(bottom_iterations() - iterations_before);
  // One rank knows.
  if (!comm_->is_alone()) report.bottom_iterations = comm_->max(report.bottom_iterations);
  return report;
}

template <execution_space Exec, class Real>
void Multigrid<Exec, Real>::check() const {
  for (const Level<Exec, Real>& level : levels_) {
    level.fill_for_operator.check();
    level.fill_for_interpolation.check();
  }
  for (const LevelTransfer<Exec, Real>& transfer : transfers_) transfer.check();
  programs_.kernel().check();
  if (host_) host_->levels().check();
}

template <execution_space Exec, class Real>
double Multigrid<Exec, Real>::richardson_error(const Exec& exec, std::size_t fine) const {
  if (is_on_host(fine)) return host_->levels().richardson_error(host_instance(exec), fine - levels_.size());
  const auto difference = [&](const auto& transfer, const auto& instance, const auto& coarse) {
    transfer.restrict_cells(exec, levels_[fine].u, coarse.temp);
    combine(instance, coarse, 1, coarse.u, -1, coarse.temp, coarse.temp);
    return max_norm(instance, coarse, coarse.temp);
  };
  return is_on_host(fine + 1) ? difference(*host_, host_instance(exec), host_->first())
                              : difference(transfers_[fine], exec, levels_[fine + 1]);
}

template <execution_space Exec, class Real>
void Multigrid<Exec, Real>::count_times(PhaseTimes* times) {
  for (Level<Exec, Real>& level : levels_) level.times = times;
  if (host_) host_->levels().count_times(times);
}

template <execution_space Exec>
std::optional<RichardsonReport> richardson(const Exec& exec, const Multigrid<Exec>& multigrid, Cycle cycle) {
  if (multigrid.num_levels() < 3) return std::nullopt;
  RichardsonReport report;
  // The finest first: a solve overwrites the u of all coarser levels, and no finer one.
  report.h = multigrid.solve(exec, cycle, 0);
  report.h2 = multigrid.solve(exec, cycle, 1);
  report.h4 = multigrid.solve(exec, cycle, 2);
  report.error = multigrid.richardson_error(exec, 0);
  report.order = std::log2(multigrid.richardson_error(exec, 1) / report.error);
  return report;
}

}  // namespace ashlar::multigrid
