#pragma once

#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/comm/rank_devices.hpp>
#include <ashlar/device/graphs/captured_work.hpp>
#include <ashlar/device/memory/available_memory.hpp>
#include <ashlar/multigrid/impl/try_overlap.hpp>
#include <ashlar/multigrid/multigrid.hpp>
#include <ashlar/multigrid/operator.hpp>
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

/// All ranks of a host use the same memory.
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
    : options_(options), comm_(std::move(comm)), programs_(exec) {
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
  transfers_.reserve(count);
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
    using HostMultigrid = Multigrid<HostExecution, Real>;
    std::unique_ptr<HostMultigrid> on_host(
        new HostMultigrid(host_instance(exec), below, for_host, comm_, first_number + levels_.size()));
    Level<HostExecution, Real>& first = on_host->levels_.front();
    host_ = std::make_unique<const HostLevels<Exec, Real>>(exec, std::move(on_host), levels_.back(), first);
  }
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    const bool is_last = l + 1 == levels_.size();
    of_cycles_.push_back({&levels_[l], options.smoother, is_last ? nullptr : &transfers_[l],
                          is_last ? host_.get() : nullptr, is_last && !host_ ? &bottom_ : nullptr});
  }
  if (host_) of_cycles_.emplace_back();
  shares_device_ = ranks_of_one_device(exec, *comm_).has_value();
  exec.fence("ashlar::multigrid: levels");
  make_cycles(exec);
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
      restrict_all(*host_, host_->first());
    } else {
      restrict_all(transfers_[number], levels_[number + 1]);
    }
  }
  exec.fence("ashlar::multigrid: set-up");
  if (host_) host_->levels().set_up(host_instance(exec));
  is_set_up_ = true;
  try {
    comm_->together([&] { make_cycles(exec); });
  } catch (...) {
    is_set_up_ = false;
    throw;
  }
}

/// Makes the cycles from all levels: a list of steps each, cut into parts for the executors. Where ranks share a device
/// others may keep it from a kernel that needs all of it: there one team runs it.
template <execution_space Exec, class Real>
void Multigrid<Exec, Real>::make_cycles(const Exec& exec) {
  graphs_.clear();
  programs_.clear();
  cycles_.clear();
  handed_over_.clear();
  cutter_ = {};
  why_no_kernel_ = find_first_of_one_kernel();
  for (std::size_t number = 0; number < levels_.size(); ++number) {
    for (const LevelCycle kind : all_level_cycles) {
      cycles_.push_back(
          make_parts(exec, cycles::cycle_steps(kind == LevelCycle::f ? cycles::CycleKind::f : cycles::CycleKind::v,
                                               static_cast<int>(num_levels()),
                                               {.is_symmetric = kind == LevelCycle::symmetric_v,
                                                .from_zero = false,
                                                .first_level = static_cast<int>(number)})));
    }
  }
}

/// The first level that is small and one rank's. Returns why there is none; empty if there is one.
template <execution_space Exec, class Real>
std::string Multigrid<Exec, Real>::find_first_of_one_kernel() {
  first_of_one_kernel_ = std::numeric_limits<std::size_t>::max();
  if (!is_set_up_) return "it is not set up";
  if (options_.one_kernel_cells == 0) return "asked for none";
  if (!programs_.kernel().why_not().empty()) return programs_.kernel().why_not();
  if (host_) return "the coarsest levels are on the host";
  std::int64_t most = std::min(options_.one_kernel_cells, programs_.kernel().most_cells());
  if (shares_device_) most = std::min(most, impl::cells_of_one_team);
  const auto is_small = [&](const Level<Exec, Real>& level) {
    return level.num_cells() <= most && !level.grid.is_shared();
  };
  const auto first = std::find_if(levels_.begin(), levels_.end(), is_small) - levels_.begin();
  if (std::size_t(first) + 1 >= levels_.size()) return "no level but the coarsest is small enough, and one rank's";
  if (!bottom_.is_one_kernel()) return "the coarsest level is so large that the host decides there";
  first_of_one_kernel_ = std::size_t(first);
  return "";
}

/// Cuts the steps of a cycle into parts, without the levels of which this rank has no box, and makes what executors
/// need for them.
template <execution_space Exec, class Real>
typename Multigrid<Exec, Real>::Parts Multigrid<Exec, Real>::make_parts(const Exec& exec,
                                                                        std::vector<cycles::Step> steps) {
  std::erase_if(steps, [&](const cycles::Step& step) {
    return !is_on_host(std::size_t(step.level)) && !has_part_from(std::size_t(step.level));
  });
  const auto none = static_cast<int>(num_levels());
  int graph = 0;
  while (graph < none && !why_no_graph(std::size_t(graph)).empty()) ++graph;
  const bool has_kernel = first_of_one_kernel_ < levels_.size();
  Parts parts = cutter_.cut(steps, {.graph = host_ ? none : graph,
                                    .one_kernel = has_kernel ? static_cast<int>(first_of_one_kernel_) : none,
                                    .host = static_cast<int>(levels_.size())});
  const auto prepare = [&](const cycles::Part& part) {
    if (part.executor == cycles::Executor::one_kernel) programs_.add(exec, part.id, part.steps, of_cycles_);
    if (part.executor != cycles::Executor::host) return;
    std::vector<cycles::Step> below = part.steps;
    for (cycles::Step& step : below) step.level -= static_cast<int>(levels_.size());
    auto& to = host_->levels();
    if (!to.handed_over_.contains(part.id)) to.handed_over_[part.id] = to.make_parts(host_instance(exec), below);
  };
  for (const cycles::Part& part : parts) {
    prepare(part);
    for (const cycles::Part& inside : part.parts) prepare(inside);
  }
  return parts;
}

template <execution_space Exec, class Real>
std::string Multigrid<Exec, Real>::why_no_graph(std::size_t number) const {
  if (!options_.graphs) return "asked for none";
  if (!CapturedWork<Exec>::has_graphs) return "the backend has none";
  if (!all_capture_) return "a rank's stream cannot be captured, or a tool watches it";
  if (is_on_host(number)) return host_->levels().why_no_graph(number - levels_.size());
  if (host_) return "levels are on the host, which waits";
  if (!bottom_.is_one_kernel()) return "the coarsest level is so large that the host decides there";
  const bool waits = std::any_of(levels_.begin() + std::ptrdiff_t(number), levels_.end(), [](const auto& level) {
    return level.grid.is_shared() && !level.fill_for_operator.is_stream_ordered();
  });
  return waits ? "the host waits for messages between ranks" : "";
}

/// This rank may have boxes of the level. If one rank has it alone, others have none of coarser ones either.
template <execution_space Exec, class Real>
bool Multigrid<Exec, Real>::has_part_from(std::size_t number) const {
  const BoxGrid& grid = levels_[number].grid;
  return grid.is_shared() || grid.num_own() > 0;
}

}  // namespace ashlar::multigrid
