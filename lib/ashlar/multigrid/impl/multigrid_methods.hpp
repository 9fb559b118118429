#pragma once

#include <algorithm>
#include <ashlar/base/count_text.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/comm/rank_devices.hpp>
#include <ashlar/device/captured_work.hpp>
#include <ashlar/device/memory.hpp>
#include <ashlar/multigrid/impl/try_overlap.hpp>
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

inline void check_overlap(const MultigridOptions& options) {
  const ExchangeMode mode = options.exchange.mode;
  if (options.overlap != Overlap::on || mode == ExchangeMode::automatic || mode == ExchangeMode::blocking) return;
  throw ArgumentError(text("multigrid: overlap on in the exchange mode ", to_string(mode)),
                      "only levels in the blocking mode compute while messages are on their way",
                      "take the blocking mode, or leave overlap automatic");
}

/// Of a host all ranks use the same memory.
template <class Exec, class Real>
void require_memory_for(const std::vector<BoxGrid>& grids, const MultigridOptions& options, const Communicator& comm) {
  std::uint64_t bytes = 0;
  for (const BoxGrid& grid : grids) bytes += level_bytes<Real>(grid, options.discretisation, options.equation);
  if (!is_gpu_v<Exec> && !comm.is_alone()) bytes = comm.split_by_host().sum(bytes);
  comm.together([&] {
    require_memory<typename Exec::memory_space>(bytes, text("multigrid of ", grids[0].cells_per_dim(), "^3 cells in ",
                                                            count_text(grids[0].num_boxes(), "box")));
  });
}

}  // namespace impl

template <execution_space Exec, class Real>
Multigrid<Exec, Real>::Multigrid(const Exec& exec, const std::vector<BoxGrid>& grids, const MultigridOptions& options,
                                 const Communicator& comm)
    : Multigrid(exec, grids, options, std::make_shared<const Communicator>(comm.duplicate()), 0) {}

template <execution_space Exec, class Real>
Multigrid<Exec, Real>::Multigrid(const Exec& exec, const std::vector<BoxGrid>& grids, const MultigridOptions& options,
                                 std::shared_ptr<const Communicator> comm, std::size_t first_number)
    : options_(options), comm_(std::move(comm)), lists_(exec) {
  std::size_t count = 0;
  comm_->together([&] {
    impl::check_grids(grids, *comm_);
    impl::check_overlap(options);
    count = first_host_level(grids, options.host_threshold);
    if (options.one_kernel_cells < 0) {
      throw ArgumentError(text("multigrid: one kernel for levels of ", options.one_kernel_cells, " cells"),
                          "there is at least one cell", "pass a number from 1 on, or 0: none is one kernel");
    }
  });
  const auto end = grids.begin() + static_cast<std::ptrdiff_t>(count);
  const std::vector<BoxGrid> own(grids.begin(), end), below(end, grids.end());
  impl::require_memory_for<Exec, Real>(own, options, *comm_);
  levels_.reserve(count);
  for (const BoxGrid& grid : own) {
    levels_.emplace_back(exec, grid, options.discretisation, options.equation, first_number + levels_.size(), comm_,
                         options.exchange);
    if (options.overlap == Overlap::on) {
      comm_->together([&] { levels_.back().set_overlap(exec, Overlap::on); });
    }
    comm_->together([&] { levels_.back().sweep_by(exec, options.sweeps); });
    if (levels_.size() > 1) transfers_.emplace_back(exec, levels_[levels_.size() - 2], levels_.back());
  }
  if (below.empty()) {
    comm_->together([&] { bottom_ = BottomSolver<Exec, Real>(exec, levels_.back()); });
  } else {
    MultigridOptions for_host = options;
    for_host.host_threshold = 0;
    if (is_gpu_v<Exec>) for_host.one_kernel_cells = 0;
    if (is_gpu_v<Exec>) for_host.sweeps = SweepForm::automatic;
    if (is_gpu_v<Exec> || options.exchange.mode != ExchangeMode::kernel) {
      for_host.exchange.mode = ExchangeMode::blocking;
    }
    // (Its constructor is private: make_unique cannot.)
    below_.reset(
        new Multigrid<HostExecution, Real>(host_instance(exec), below, for_host, comm_, first_number + levels_.size()));
    to_host_ = std::make_unique<const HostTransfer<Exec, Real>>(exec, levels_.back(), below_->levels_.front());
  }
  shares_device_ = ranks_of_one_device(exec, *comm_).has_value();
  exec.fence("ashlar::multigrid: levels");
}

/// work(multigrid, instance) with the levels on the host and where they run; its time is counted.
template <execution_space Exec, class Real>
template <class Work>
auto Multigrid<Exec, Real>::on_host(const Exec& exec, const Work& work) const {
  const Kokkos::Timer timer;
  const auto result = work(*below_, host_instance(exec));
  seconds_on_host_ += timer.seconds();
  return result;
}

template <execution_space Exec, class Real>
void Multigrid<Exec, Real>::set_up(const Exec& exec) {
  // A replay begins with the slots that its exchanges were captured with: all ranks replay, or none does.
  all_capture_ = comm_->is_alone() || comm_->max(CapturedWork<Exec>::can_capture(exec) ? 0 : 1) == 0;
  for (std::size_t number = 0; number < levels_.size(); ++number) {
    Level<Exec, Real>& level = levels_[number];
    fill_coefficient_ghosts(exec, level);
    find_diagonal(exec, level);
    if (options_.overlap == Overlap::automatic && level.may_be_cut()) {
      impl::try_overlap(exec, level, options_.smoother);
    }
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
  make_lists(exec);
}

/// To the r of the next coarser level.
template <execution_space Exec, class Real>
void Multigrid<Exec, Real>::restrict_to_next(const Exec& exec, std::size_t fine, const Vector& from) const {
  levels_[fine].timed(exec, Phase::restriction, [&] {
    if (is_on_host(fine + 1)) {
      to_host_->restrict_cells(exec, from, below_->levels_.front().r);
    } else {
      transfers_[fine].restrict_cells(exec, from, levels_[fine + 1].r);
    }
  });
}

template <execution_space Exec, class Real>
void Multigrid<Exec, Real>::solve_bottom(const Exec& exec, Visit visit) const {
  const Level<Exec, Real>& level = levels_.back();
  if (level.num_boxes() == 0) return;
  constexpr double to_rounding = sizeof(Real) < sizeof(double) ? 1e-6 : 1e-12;
  level.timed(exec, Phase::bottom, [&] {
    set_zero(exec, level.u);
    bottom_.solve(exec, level, level.u, level.r, visit == Visit::symmetric_v_cycle ? to_rounding : 1e-3);
  });
}

/// Of the fourth order only for the start on a finer level: corrections are as good with less.
template <execution_space Exec, class Real>
void Multigrid<Exec, Real>::prolong(const Exec& exec, std::size_t fine, bool within_v_cycle) const {
  const Vector& to = levels_[fine].u;
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
                        [&] { transfer.interpolate(exec, order, within_v_cycle, coarse.u, to); });
  };
  if (is_on_host(fine + 1)) {
    on_host(exec, [&](const auto& below, const auto& host) { return fill(host, below.levels_.front()); });
    interpolate(*to_host_, below_->levels_.front());
  } else if (!impl::prolong_in_scratch(levels_[fine + 1], levels_[fine], is_quartic, within_v_cycle, to)) {
    fill(exec, levels_[fine + 1]);
    interpolate(transfers_[fine], levels_[fine + 1]);
  }
}

template <execution_space Exec, class Real>
void Multigrid<Exec, Real>::v_cycle(const Exec& exec, std::size_t number, VCycle kind) const {
  run(exec, number, kind == VCycle::plain ? Visit::v_cycle : Visit::symmetric_v_cycle);
}

/// A visit that is no part of another.
template <execution_space Exec, class Real>
void Multigrid<Exec, Real>::run(const Exec& exec, std::size_t number, Visit visit) const {
  if (is_on_host(number)) {
    exec.fence("ashlar::multigrid: what comes to the device");
    on_host(exec, [&](const auto& below, const auto& host) {
      below.run(host, number - levels_.size(), visit);
      return true;
    });
    return;
  }
  if (has_part_from(number)) visit_by_graph(exec, number, visit, false);
}

/// Whether this rank may have anything to do on the level or below: who has no box of a level that is one rank's has
/// none of coarser ones.
template <execution_space Exec, class Real>
bool Multigrid<Exec, Real>::has_part_from(std::size_t number) const {
  const BoxGrid& grid = levels_[number].grid;
  return grid.is_shared() || grid.num_own() > 0;
}

/// As part of another: `from_zero`, a V-cycle that is to begin with u = 0. The r of the level is there, on the host,
/// too.
template <execution_space Exec, class Real>
void Multigrid<Exec, Real>::visit(const Exec& exec, std::size_t number, Visit visit, bool from_zero) const {
  if (is_on_host(number)) {
    on_host(exec, [&](const auto& below, const auto& host) {
      below.visit(host, 0, visit, from_zero);
      return true;
    });
    return;
  }
  if (!has_part_from(number)) return;
  if (begins_graphs(number)) return visit_by_graph(exec, number, visit, from_zero);
  visit_by_list(exec, number, visit, from_zero);
}

/// Whether its visits within a cycle are graphs by themselves, if any are: not so those of the next finer level.
template <execution_space Exec, class Real>
bool Multigrid<Exec, Real>::begins_graphs(std::size_t number) const {
  return number > 0 && !waits_on_host(number) && waits_on_host(number - 1);
}

/// Whether the host waits for messages of the level, or of a coarser one that is not on the host.
template <execution_space Exec, class Real>
bool Multigrid<Exec, Real>::waits_on_host(std::size_t number) const {
  return std::any_of(levels_.begin() + std::ptrdiff_t(number), levels_.end(), [](const Level<Exec, Real>& level) {
    return level.grid.is_shared() && !level.fill_for_operator.is_stream_ordered();
  });
}

/// As a graph where it can be one. (Who counts times waits between phases.)
template <execution_space Exec, class Real>
void Multigrid<Exec, Real>::visit_by_graph(const Exec& exec, std::size_t number, Visit visit, bool from_zero) const {
  const auto work = [this, exec, number, visit, from_zero] { visit_by_list(exec, number, visit, from_zero); };
  if (why_no_graph(number).empty() && levels_[number].times == nullptr) {
    graphs_.run(exec, {number, visit, from_zero}, work);
  } else {
    work();
  }
}

/// As one kernel where there is a list of its steps.
template <execution_space Exec, class Real>
void Multigrid<Exec, Real>::visit_by_list(const Exec& exec, std::size_t number, Visit visit, bool from_zero) const {
  if (!lists_.has(number)) return launch_visit(exec, number, visit, from_zero);
  levels_[number].timed(exec, Phase::visit, [&] { lists_.enqueue(exec, number, visit, from_zero); });
}

/// Kernel by kernel on this level.
template <execution_space Exec, class Real>
void Multigrid<Exec, Real>::launch_visit(const Exec& exec, std::size_t number, Visit visit, bool from_zero) const {
  if (number + 1 == num_levels()) return solve_bottom(exec, visit);
  if (visit == Visit::f_cycle) {
    restrict_to_next(exec, number, levels_[number].r);
    this->visit(exec, number + 1, visit, false);
    prolong(exec, number, false);
    return smooth_down_and_up(exec, number, Visit::v_cycle);
  }
  if (from_zero) set_zero(exec, levels_[number].u);
  smooth_down_and_up(exec, number, visit);
}

/// A V-cycle, plain or symmetric.
template <execution_space Exec, class Real>
void Multigrid<Exec, Real>::smooth_down_and_up(const Exec& exec, std::size_t number, Visit visit) const {
  const Level<Exec, Real>& level = levels_[number];
  const bool is_gsrb = options_.smoother == Smoother::gsrb, is_next_here = !is_on_host(number + 1);
  if (!is_gsrb || !is_next_here || !impl::relax_in_scratch(exec, level, level.u, level.r, 0, &levels_[number + 1])) {
    smooth(exec, level, options_.smoother, level.u, level.r);
    residual(exec, level, level.u, level.r, level.temp);
    restrict_to_next(exec, number, level.temp);
  }
  this->visit(exec, number + 1, visit, true);
  prolong(exec, number, true);
  const bool is_symmetric = visit == Visit::symmetric_v_cycle;
  smooth(exec, level, options_.smoother, level.u, level.r, is_symmetric ? SmoothingOrder::back : SmoothingOrder::forth);
}

/// The visits that are one kernel: of the first level that is small and one rank's, and of all below it. Where ranks
/// share a device others may keep it from a kernel that needs all of it: there one team has to do.
template <execution_space Exec, class Real>
void Multigrid<Exec, Real>::make_lists(const Exec& exec) {
  lists_.clear();
  graphs_.clear();
  why_no_lists_.clear();
  std::size_t first = 0;
  std::int64_t most = std::min(options_.one_kernel_cells, lists_.kernel().most_cells());
  if (shares_device_) most = std::min(most, impl::cells_of_one_team);
  const auto is_small = [&](const Level<Exec, Real>& level) {
    return level.num_cells() <= most && !level.grid.is_shared();
  };
  while (first < levels_.size() && !is_small(levels_[first])) ++first;
  if (options_.one_kernel_cells == 0) {
    why_no_lists_ = "asked for none";
  } else if (!lists_.kernel().why_not().empty()) {
    why_no_lists_ = lists_.kernel().why_not();
  } else if (below_) {
    why_no_lists_ = "the coarsest levels are on the host";
  } else if (first + 1 >= levels_.size()) {
    why_no_lists_ = "no level but the coarsest is small enough, and one rank's";
  } else if (!bottom_.is_one_kernel()) {
    why_no_lists_ = "the coarsest level is so large that the host decides there";
  } else {
    // Each for itself, level after level: what is recorded launches no list.
    const std::string refused = lists_.record(exec, first, levels_.size() - 2, [&](std::size_t number, Visit visit) {
      launch_visit(exec, number, visit, true);
    });
    if (!refused.empty()) why_no_lists_ = text("no list has a place for ", refused);
  }
}

template <execution_space Exec, class Real>
std::string Multigrid<Exec, Real>::why_no_graph(std::size_t number) const {
  if (!options_.graphs) return "asked for none";
  if (!CapturedWork<Exec>::has_graphs) return "the backend has none";
  if (!all_capture_) return "a rank's stream cannot be captured, or a tool watches it";
  if (is_on_host(number)) return below_->why_no_graph(number - levels_.size());
  if (below_) return "levels are on the host, which waits";
  if (!bottom_.is_one_kernel()) return "the coarsest level is so large that the host decides there";
  return waits_on_host(number) ? "the host waits for messages between ranks" : "";
}

template <execution_space Exec, class Real>
CycleReport Multigrid<Exec, Real>::solve(const Exec& exec, Cycle cycle, std::size_t number, double rtol,
                                         int max_cycles) const {
  if (is_on_host(number)) {
    exec.fence("ashlar::multigrid: what comes to the device");
    return on_host(exec, [&](const auto& below, const auto& host) {
      return below.solve(host, cycle, number - levels_.size(), rtol, max_cycles);
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
    run(exec, number, Visit::f_cycle);
    judge();
  }
  for (int v = 0; cycle != Cycle::f && v < max_cycles && !report.converged; ++v) {
    run(exec, number, Visit::v_cycle);
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
  lists_.kernel().check();
  if (below_) below_->check();
}

template <execution_space Exec, class Real>
double Multigrid<Exec, Real>::richardson_error(const Exec& exec, std::size_t fine) const {
  if (is_on_host(fine)) return below_->richardson_error(host_instance(exec), fine - levels_.size());
  const auto difference = [&](const auto& transfer, const auto& instance, const auto& coarse) {
    transfer.restrict_cells(exec, levels_[fine].u, coarse.temp);
    combine(instance, coarse, 1, coarse.u, -1, coarse.temp, coarse.temp);
    return max_norm(instance, coarse, coarse.temp);
  };
  return is_on_host(fine + 1) ? difference(*to_host_, host_instance(exec), below_->levels_.front())
                              : difference(transfers_[fine], exec, levels_[fine + 1]);
}

template <execution_space Exec, class Real>
void Multigrid<Exec, Real>::count_times(PhaseTimes* times) {
  for (Level<Exec, Real>& level : levels_) level.times = times;
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
