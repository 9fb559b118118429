#pragma once

#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/device/memory.hpp>
#include <ashlar/multigrid/multigrid.hpp>
#include <ashlar/multigrid/operator.hpp>
#include <ashlar/multigrid/smoother.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ashlar::multigrid {

namespace impl {

inline void check_grids(const std::vector<BoxGrid>& grids, const Communicator& comm) {
  if (grids.empty()) throw ArgumentError("multigrid: no levels", "there is nothing to solve on", "give one or more");
  for (const BoxGrid& grid : grids) {
    if (grid.rank() == comm.rank() && grid.num_ranks() <= comm.size()) continue;
    throw ArgumentError(text("multigrid: grids of rank ", grid.rank(), " of ", grid.num_ranks()),
                        text("this is rank ", comm.rank(), " of ", comm.size()),
                        "pass them for this rank of the communicator");
  }
  if (grids.back().is_shared()) {
    throw ArgumentError(text("multigrid: ", grids.back().num_boxes(), " boxes on the coarsest level, on several ranks"),
                        "its solver is one rank's",
                        "choose numbers of boxes and cells that are powers of 2, or one rank");
  }
}

/// Of a host all ranks use the same memory.
template <class Exec>
void require_memory_for(const std::vector<BoxGrid>& grids, const MultigridOptions& options, const Communicator& comm) {
  std::uint64_t bytes = 0;
  for (const BoxGrid& grid : grids) bytes += level_bytes(grid, options.discretisation, options.equation);
  if (!is_gpu_v<Exec> && !comm.is_alone()) bytes = comm.split_by_host().sum(bytes);
  comm.together([&] {
    require_memory<typename Exec::memory_space>(
        bytes, text("multigrid of ", grids[0].cells_per_dim(), "^3 cells in ", grids[0].num_boxes(), " boxes"));
  });
}

}  // namespace impl

template <execution_space Exec>
Multigrid<Exec>::Multigrid(const Exec& exec, const std::vector<BoxGrid>& grids, const MultigridOptions& options,
                           const Communicator& comm)
    : Multigrid(exec, grids, options, std::make_shared<const Communicator>(comm.duplicate()), 0) {}

template <execution_space Exec>
Multigrid<Exec>::Multigrid(const Exec& exec, const std::vector<BoxGrid>& grids, const MultigridOptions& options,
                           std::shared_ptr<const Communicator> comm, std::size_t first_number)
    : options_(options), comm_(std::move(comm)) {
  std::size_t count = 0;
  comm_->together([&] {
    impl::check_grids(grids, *comm_);
    count = first_host_level(grids, options.host_threshold);
  });
  const auto end = grids.begin() + static_cast<std::ptrdiff_t>(count);
  const std::vector<BoxGrid> own(grids.begin(), end), below(end, grids.end());
  impl::require_memory_for<Exec>(own, options, *comm_);
  levels_.reserve(count);
  for (const BoxGrid& grid : own) {
    levels_.emplace_back(exec, grid, options.discretisation, options.equation, first_number + levels_.size(), comm_,
                         options.exchange);
    if (levels_.size() > 1) transfers_.emplace_back(exec, levels_[levels_.size() - 2], levels_.back());
  }
  if (below.empty()) {
    comm_->together([&] { bottom_ = BottomSolver<Exec>(exec, levels_.back()); });
  } else {
    MultigridOptions for_host = options;
    for_host.host_threshold = 0;
    if (is_gpu_v<Exec> || options.exchange.mode != ExchangeMode::kernel) {
      for_host.exchange.mode = ExchangeMode::blocking;
    }
    // (Its constructor is private: make_unique cannot.)
    below_.reset(
        new Multigrid<HostExecution>(host_instance(exec), below, for_host, comm_, first_number + levels_.size()));
    to_host_ = std::make_unique<const HostTransfer<Exec>>(exec, levels_.back(), below_->levels_.front());
  }
  exec.fence("ashlar::multigrid: levels");
}

/// work(multigrid, instance) with the levels on the host and where they run; its time is counted.
template <execution_space Exec>
template <class Work>
auto Multigrid<Exec>::on_host(const Exec& exec, const Work& work) const {
  const Kokkos::Timer timer;
  const auto result = work(*below_, host_instance(exec));
  seconds_on_host_ += timer.seconds();
  return result;
}

template <execution_space Exec>
std::string Multigrid<Exec>::explain() const {
  std::string result = text("multigrid: ", to_string(options_.discretisation), ", ", to_string(options_.equation), ", ",
                            to_string(options_.smoother));
  for (std::size_t l = 0; l < num_levels(); ++l) {
    const BoxGrid& cells = grid(l);
    result += text("; level ", l, ": ", cells.cells_per_dim(), "^3 cells in ", cells.num_boxes(),
                   cells.num_boxes() == 1 ? " box" : " boxes", is_on_host(l) ? ", on the host (" : " (",
                   is_on_host(l) ? HostExecution::name() : Exec::name(), ")");
  }
  return result;
}

template <execution_space Exec>
void Multigrid<Exec>::set_up(const Exec& exec) {
  for (std::size_t number = 0; number < levels_.size(); ++number) {
    Level<Exec>& level = levels_[number];
    fill_coefficient_ghosts(exec, level);
    find_diagonal(exec, level);
    if (number + 1 == num_levels()) continue;
    const auto restrict_all = [&](const auto& transfer, const auto& next) {
      for (int d = 0; d < 3; ++d) transfer.restrict_faces(exec, d, level.beta[d], next.beta[d]);
      if (options_.equation == Equation::helmholtz) transfer.restrict_cells(exec, level.alpha, next.alpha);
      transfer.restrict_cells(exec, level.f, next.f);
    };
    if (is_on_host(number + 1)) {
      restrict_all(*to_host_, below_->levels_.front());
    } else {
      restrict_all(transfers_[number], levels_[number + 1]);
    }
  }
  exec.fence("ashlar::multigrid: set-up");
  if (below_) below_->set_up(host_instance(exec));
}

/// To the r of the next coarser level.
template <execution_space Exec>
void Multigrid<Exec>::restrict_to_next(const Exec& exec, std::size_t fine, const Vector& from) const {
  levels_[fine].timed(exec, Phase::restriction, [&] {
    if (is_on_host(fine + 1)) {
      to_host_->restrict_cells(exec, from, below_->levels_.front().r);
    } else {
      transfers_[fine].restrict_cells(exec, from, levels_[fine + 1].r);
    }
  });
}

template <execution_space Exec>
int Multigrid<Exec>::solve_bottom(const Exec& exec, VCycle kind) const {
  const Level<Exec>& level = levels_.back();
  int iterations = 0;
  if (level.num_boxes() == 0) return iterations;
  level.timed(exec, Phase::bottom, [&] {
    Kokkos::deep_copy(exec, level.u, 0.0);
    iterations = bottom_.solve(exec, level, level.u, level.r, kind == VCycle::plain ? 1e-3 : 1e-12);
  });
  return iterations;
}

/// Of the fourth order only for the start on a finer level: corrections are as good with less.
template <execution_space Exec>
void Multigrid<Exec>::prolong(const Exec& exec, std::size_t fine, bool within_v_cycle) const {
  const bool is_quartic = !within_v_cycle && options_.discretisation == Discretisation::fv4;
  const auto fill = [&](const auto& instance, const auto& coarse) {
    coarse.timed(instance, Phase::exchange, [&] {
      coarse.fill_for_interpolation(instance, coarse.u, is_quartic ? BoundaryOrder::quartic : BoundaryOrder::quadratic);
    });
    return true;
  };
  const auto interpolate = [&](const auto& transfer, const auto& coarse) {
    const auto order = is_quartic ? InterpolationOrder::quartic : InterpolationOrder::quadratic;
    levels_[fine].timed(exec, Phase::interpolation,
                        [&] { transfer.interpolate(exec, order, within_v_cycle, coarse.u, levels_[fine].u); });
  };
  if (is_on_host(fine + 1)) {
    on_host(exec, [&](const auto& below, const auto& host) { return fill(host, below.levels_.front()); });
    interpolate(*to_host_, below_->levels_.front());
  } else {
    fill(exec, levels_[fine + 1]);
    interpolate(transfers_[fine], levels_[fine + 1]);
  }
}

template <execution_space Exec>
int Multigrid<Exec>::v_cycle(const Exec& exec, std::size_t number, VCycle kind) const {
  if (is_on_host(number)) {
    exec.fence("ashlar::multigrid: what comes to the device");
    return on_host(
        exec, [&](const auto& below, const auto& host) { return below.v_cycle(host, number - levels_.size(), kind); });
  }
  if (number + 1 == num_levels()) return solve_bottom(exec, kind);
  const Level<Exec>& level = levels_[number];
  smooth(exec, level, options_.smoother, level.u, level.r);
  residual(exec, level, level.u, level.r, level.temp);
  restrict_to_next(exec, number, level.temp);
  const int iterations = correct(exec, number + 1, kind);
  prolong(exec, number, true);
  if (kind == VCycle::symmetric) {
    smooth_back(exec, level, options_.smoother, level.u, level.r);
  } else {
    smooth(exec, level, options_.smoother, level.u, level.r);
  }
  return iterations;
}

/// A V-cycle from u = 0, where the r of the level is there: on the host, too.
template <execution_space Exec>
int Multigrid<Exec>::correct(const Exec& exec, std::size_t number, VCycle kind) const {
  if (is_on_host(number)) {
    return on_host(exec, [&](const auto& below, const auto& host) { return below.correct(host, 0, kind); });
  }
  Kokkos::deep_copy(exec, levels_[number].u, 0.0);
  return v_cycle(exec, number, kind);
}

/// Where the r of the level is there.
template <execution_space Exec>
int Multigrid<Exec>::f_cycle(const Exec& exec, std::size_t number) const {
  if (is_on_host(number)) {
    return on_host(exec, [&](const auto& below, const auto& host) { return below.f_cycle(host, 0); });
  }
  if (number + 1 == num_levels()) return solve_bottom(exec, VCycle::plain);
  restrict_to_next(exec, number, levels_[number].r);
  const int iterations = f_cycle(exec, number + 1);
  prolong(exec, number, false);
  return iterations + v_cycle(exec, number);
}

template <execution_space Exec>
CycleReport Multigrid<Exec>::solve(const Exec& exec, Cycle cycle, std::size_t number, double rtol,
                                   int max_cycles) const {
  if (is_on_host(number)) {
    exec.fence("ashlar::multigrid: what comes to the device");
    return on_host(exec, [&](const auto& below, const auto& host) {
      return below.solve(host, cycle, number - levels_.size(), rtol, max_cycles);
    });
  }
  const Level<Exec>& level = levels_[number];
  CycleReport report;
  report.norm_of_f = max_norm(exec, level, level.f);
  const auto judge = [&] {
    residual(exec, level, level.u, level.f, level.temp);
    report.norms.push_back(max_norm(exec, level, level.temp));
    report.rel = report.norm_of_f > 0 ? report.norms.back() / report.norm_of_f : report.norms.back();
    report.converged = cycle == Cycle::f ? std::isfinite(report.rel) : report.rel < rtol;
  };
  Kokkos::deep_copy(exec, level.u, 0.0);
  Kokkos::deep_copy(exec, level.r, level.f);
  if (cycle != Cycle::v) {
    report.bottom_iterations += f_cycle(exec, number);
    judge();
  }
  for (int v = 0; cycle != Cycle::f && v < max_cycles && !report.converged; ++v) {
    report.bottom_iterations += v_cycle(exec, number);
    judge();
    if (!std::isfinite(report.rel)) break;
  }
  check();
  // One rank knows.
  if (!comm_->is_alone()) report.bottom_iterations = comm_->max(report.bottom_iterations);
  return report;
}

template <execution_space Exec>
void Multigrid<Exec>::check() const {
  for (const Level<Exec>& level : levels_) {
    level.fill_for_operator.check();
    level.fill_for_interpolation.check();
  }
  for (const LevelTransfer<Exec>& transfer : transfers_) transfer.check();
  if (below_) below_->check();
}

template <execution_space Exec>
double Multigrid<Exec>::richardson_error(const Exec& exec, std::size_t fine) const {
  if (is_on_host(fine)) return below_->richardson_error(host_instance(exec), fine - levels_.size());
  const auto difference = [&](const auto& transfer, const auto& instance, const auto& coarse) {
    transfer.restrict_cells(exec, levels_[fine].u, coarse.temp);
    combine(instance, coarse, 1, coarse.u, -1, coarse.temp, coarse.temp);
    return max_norm(instance, coarse, coarse.temp);
  };
  return is_on_host(fine + 1) ? difference(*to_host_, host_instance(exec), below_->levels_.front())
                              : difference(transfers_[fine], exec, levels_[fine + 1]);
}

template <execution_space Exec>
void Multigrid<Exec>::count_times(PhaseTimes* times) {
  for (Level<Exec>& level : levels_) level.times = times;
  if (below_) below_->count_times(times);
}

template <execution_space Exec>
std::optional<RichardsonReport> richardson(const Exec& exec, const Multigrid<Exec>& multigrid, Cycle cycle) {
  if (multigrid.num_levels() < 3) return std::nullopt;
  RichardsonReport report;
  // The finest first: a solve uses the u of all coarser levels, and leaves that of finer ones alone.
  report.h = multigrid.solve(exec, cycle, 0);
  report.h2 = multigrid.solve(exec, cycle, 1);
  report.h4 = multigrid.solve(exec, cycle, 2);
  report.error = multigrid.richardson_error(exec, 0);
  report.order = std::log2(multigrid.richardson_error(exec, 1) / report.error);
  return report;
}

}  // namespace ashlar::multigrid
