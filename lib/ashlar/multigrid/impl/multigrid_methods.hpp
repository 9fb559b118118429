#pragma once

#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/device/memory.hpp>
#include <ashlar/multigrid/multigrid.hpp>
#include <ashlar/multigrid/operator.hpp>
#include <ashlar/multigrid/smoother.hpp>
#include <cmath>
#include <cstdint>
#include <memory>
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
    : options_(options), comm_(std::make_shared<const Communicator>(comm.duplicate())) {
  comm_->together([&] { impl::check_grids(grids, *comm_); });
  impl::require_memory_for<Exec>(grids, options, *comm_);
  levels_.reserve(grids.size());
  for (const BoxGrid& grid : grids) {
    levels_.emplace_back(exec, grid, options.discretisation, options.equation, levels_.size(), comm_, options.exchange);
    if (levels_.size() > 1) transfers_.emplace_back(exec, levels_[levels_.size() - 2], levels_.back());
  }
  comm_->together([&] { bottom_ = BottomSolver<Exec>(exec, levels_.back()); });
  exec.fence("ashlar::multigrid: levels");
}

template <execution_space Exec>
void Multigrid<Exec>::set_up(const Exec& exec) {
  for (std::size_t number = 0; number < levels_.size(); ++number) {
    Level<Exec>& level = levels_[number];
    fill_coefficient_ghosts(exec, level);
    find_diagonal(exec, level);
    if (number + 1 == levels_.size()) continue;
    const Level<Exec>& next = levels_[number + 1];
    const LevelTransfer<Exec>& transfer = transfers_[number];
    for (int d = 0; d < 3; ++d) transfer.restrict_faces(exec, d, level.beta[d], next.beta[d]);
    if (options_.equation == Equation::helmholtz) transfer.restrict_cells(exec, level.alpha, next.alpha);
    transfer.restrict_cells(exec, level.f, next.f);
  }
  exec.fence("ashlar::multigrid: set-up");
}

template <execution_space Exec>
void Multigrid<Exec>::restrict_to_next(const Exec& exec, std::size_t fine, const Vector& from, const Vector& to) const {
  levels_[fine].timed(exec, Phase::restriction, [&] { transfers_[fine].restrict_cells(exec, from, to); });
}

template <execution_space Exec>
int Multigrid<Exec>::solve_bottom(const Exec& exec) const {
  const Level<Exec>& level = levels_.back();
  int iterations = 0;
  if (level.num_boxes() == 0) return iterations;
  level.timed(exec, Phase::bottom, [&] {
    Kokkos::deep_copy(exec, level.u, 0.0);
    iterations = bottom_.solve(exec, level, level.u, level.r);
  });
  return iterations;
}

/// Of the fourth order only for the start on a finer level: corrections are as good with less.
template <execution_space Exec>
void Multigrid<Exec>::prolong(const Exec& exec, std::size_t fine, bool within_v_cycle) const {
  const Level<Exec>& coarse = levels_[fine + 1];
  const bool is_quartic = !within_v_cycle && options_.discretisation == Discretisation::fv4;
  coarse.timed(exec, Phase::exchange, [&] {
    coarse.fill_for_interpolation(exec, coarse.u, is_quartic ? BoundaryOrder::quartic : BoundaryOrder::quadratic);
  });
  levels_[fine].timed(exec, Phase::interpolation, [&] {
    const auto order = is_quartic ? InterpolationOrder::quartic : InterpolationOrder::quadratic;
    transfers_[fine].interpolate(exec, order, within_v_cycle, coarse.u, levels_[fine].u);
  });
}

template <execution_space Exec>
int Multigrid<Exec>::v_cycle(const Exec& exec, std::size_t number) const {
  if (number + 1 == levels_.size()) return solve_bottom(exec);
  const Level<Exec>&level = levels_[number], &next = levels_[number + 1];
  smooth(exec, level, options_.smoother, level.u, level.r);
  residual(exec, level, level.u, level.r, level.temp);
  restrict_to_next(exec, number, level.temp, next.r);
  Kokkos::deep_copy(exec, next.u, 0.0);
  const int iterations = v_cycle(exec, number + 1);
  prolong(exec, number, true);
  smooth(exec, level, options_.smoother, level.u, level.r);
  return iterations;
}

template <execution_space Exec>
void Multigrid<Exec>::f_cycle(const Exec& exec, std::size_t number, int& bottom_iterations) const {
  for (std::size_t l = number; l + 1 < levels_.size(); ++l) restrict_to_next(exec, l, levels_[l].r, levels_[l + 1].r);
  bottom_iterations += solve_bottom(exec);
  for (std::size_t l = levels_.size() - 1; l-- > number;) {
    prolong(exec, l, false);
    bottom_iterations += v_cycle(exec, l);
  }
}

template <execution_space Exec>
CycleReport Multigrid<Exec>::solve(const Exec& exec, Cycle cycle, std::size_t number, double rtol,
                                   int max_cycles) const {
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
    f_cycle(exec, number, report.bottom_iterations);
    judge();
  }
  for (int v = 0; cycle != Cycle::f && v < max_cycles && !report.converged; ++v) {
    report.bottom_iterations += v_cycle(exec, number);
    judge();
    if (!std::isfinite(report.rel)) break;
  }
  // One rank knows.
  if (!comm_->is_alone()) report.bottom_iterations = comm_->max(report.bottom_iterations);
  return report;
}

template <execution_space Exec>
double Multigrid<Exec>::richardson_error(const Exec& exec, std::size_t fine) const {
  const Level<Exec>& coarse = levels_[fine + 1];
  transfers_[fine].restrict_cells(exec, levels_[fine].u, coarse.temp);
  combine(exec, coarse, 1, coarse.u, -1, coarse.temp, coarse.temp);
  return max_norm(exec, coarse, coarse.temp);
}

template <execution_space Exec>
void Multigrid<Exec>::count_times(PhaseTimes* times) {
  for (Level<Exec>& level : levels_) level.times = times;
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
