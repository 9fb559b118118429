#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/halo/exchange_mode.hpp>
#include <ashlar/multigrid/bottom_solver.hpp>
#include <ashlar/multigrid/hierarchy.hpp>
#include <ashlar/multigrid/host_transfer.hpp>
#include <ashlar/multigrid/impl/visit_graphs.hpp>
#include <ashlar/multigrid/impl/visit_lists.hpp>
#include <ashlar/multigrid/level.hpp>
#include <ashlar/multigrid/methods.hpp>
#include <ashlar/multigrid/transfer.hpp>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ashlar::multigrid {

/// Levels of so many cells and fewer are one kernel where nothing else is said: with CUDA one grid does a whole visit;
/// elsewhere on GPUs one team; on CPUs launches cost little.
inline constexpr std::int64_t default_one_kernel_cells = !is_gpu_v<Kokkos::DefaultExecutionSpace> ? 0
#ifdef KOKKOS_ENABLE_CUDA
                                                         : std::same_as<Kokkos::DefaultExecutionSpace, Kokkos::Cuda>
                                                             ? 40 * 40 * 40
#endif
                                                             : 8 * 8 * 8;

struct MultigridOptions {
  Discretisation discretisation = Discretisation::fv4;
  Equation equation = Equation::poisson;
  Smoother smoother = Smoother::gsrb;
  ExchangeOptions exchange = {};         ///< of the messages between ranks
  Overlap overlap = Overlap::automatic;  ///< `on` is for the blocking mode, or an automatic one
  /// Levels of fewer cells a rank run on the host, all but the finest; 0: none does.
  std::int64_t host_threshold = 0;
  /// A visit of a level of so many cells or fewer, and of all coarser ones, is one kernel, where one rank has all of
  /// them (make_hierarchy() gives small levels to one); 0: none is. The same bits.
  std::int64_t one_kernel_cells = default_one_kernel_cells;
  /// What a cycle launches is captured at its second run, and replayed by one launch from then on, where the backend
  /// has graphs, all levels are on the device, and the host waits for no message between ranks (it does in the blocking
  /// mode; then what is launched from the first level on that is one rank's). All ranks replay, or none does, as
  /// set_up() finds it: a tool that watches kernels comes and goes on all of them alike. The same bits.
  bool graphs = true;
  SweepForm sweeps = SweepForm::automatic;  ///< with fv4; levels on the host choose for themselves
};

/// The plain cycle of the benchmark, or one that is as symmetric as the operator is, for CG: what smooths after the
/// coarser level is the adjoint of what smooths before, and the coarsest level is solved to rounding.
enum class VCycle { plain, symmetric };

/// What a solve came to.
struct CycleReport {
  std::vector<double> norms;  ///< max |f - A u| after each cycle
  double norm_of_f = 0;       ///< max |f|
  double rel = 0;             ///< the last norm over that
  bool converged = false;     ///< rel < rtol; of one F-cycle, that the norm is finite
  int bottom_iterations = 0;
};

/// Geometric multigrid for a alpha u - div(beta grad u) = f on the unit cube, u = 0 on its boundary, where unknowns are
/// averages over cells. To use it: set level(0).f and level(0).beta (or set_benchmark_problem()), then set_up(), then
/// solve(); the solution is level(0).u.
///
/// Over ranks each has its boxes of each level, on coarse levels none perhaps, where it then has nothing to do. All
/// ranks call the same in the same order; norms, and so decisions, are the same bits on each, and for any number of
/// ranks.
///
/// Levels that are small run on the host (MultigridOptions::host_threshold), in its memory, as a multigrid of their own
/// that this one ends in; their messages are in blocking mode, or where Exec is the host's in kernel mode if asked for.
/// Bits are the same for any threshold.
///
/// All entries of vectors are Real: double, or float for a preconditioner, which then moves half of the bytes. Sums and
/// norms are double in both.
///
/// Compiled in the library for Kokkos' default execution space and both types.
template <execution_space Exec, class Real = double>
class Multigrid {
 public:
  using Vector = typename Level<Exec, Real>::Vector;

  /// Allocates all that it will need. `grids` are those of make_hierarchy() for this rank of `comm`. Collective; `comm`
  /// is not used later.
  ///
  /// Throws   on all ranks together: ArgumentError where the grids are another rank's, several ranks have boxes of the
  ///          coarsest level, whose solver is one rank's, or overlap is on in the stream or the kernel mode;
  ///          MemoryError.
  Multigrid(const Exec& exec, const std::vector<BoxGrid>& grids, const MultigridOptions& options,
            const Communicator& comm = {});
  Multigrid(const Multigrid&) = delete;
  Multigrid& operator=(const Multigrid&) = delete;

  const MultigridOptions& options() const { return options_; }
  /// A group of its own.
  const Communicator& communicator() const { return *comm_; }
  std::size_t num_levels() const { return levels_.size() + (below_ ? below_->num_levels() : 0); }
  /// Whether it is one of those that run on the host for they are small.
  bool is_on_host(std::size_t number) const { return number >= levels_.size(); }
  /// A level in the memory of Exec.
  ///
  /// Throws   ArgumentError where it is on the host, and Exec is a device's.
  const Level<Exec, Real>& level(std::size_t number) const {
    if (!is_on_host(number)) return levels_[number];
    if constexpr (std::same_as<Exec, HostExecution>) {
      return below_->level(number - levels_.size());
    } else {
      throw ArgumentError(text("multigrid: level ", number, " as one of the device"), "it is on the host",
                          "use with_level(), or a smaller host_threshold");
    }
  }
  /// work(level) with any level, wherever it is: a Level<Exec, Real> or a Level<HostExecution, Real>.
  template <class Work>
  decltype(auto) with_level(std::size_t number, const Work& work) const {
    return is_on_host(number) ? work(below_->level(number - levels_.size())) : work(levels_[number]);
  }
  const BoxGrid& grid(std::size_t number) const {
    return with_level(number, [](const auto& level) -> const BoxGrid& { return level.grid; });
  }
  /// Between a level and the next coarser one, neither of them on the host.
  const LevelTransfer<Exec, Real>& transfer(std::size_t fine) const { return transfers_[fine]; }
  /// The levels, on how many ranks, where they run, and which of them compute while messages are on their way, for
  /// people.
  std::string explain() const;
  /// Its parts: the methods, each level, one kernel, graphs.
  std::vector<std::string> explain_parts() const;

  /// Restricts the coefficients and the right-hand side of the finest level to all others, and finds the diagonals.
  /// If overlap is automatic, each level over ranks in the blocking mode is timed with and without.
  ///
  /// Async    waits for `exec`.
  /// Throws   NumericalError, on all ranks alike, where a diagonal is not positive.
  void set_up(const Exec& exec);

  /// One V-cycle on the level for A u = r, from its u on.
  ///
  /// Async    enqueued on `exec`. The host waits where levels run there, once for what is restricted to them; where a
  ///          coarsest level has more than 4096 cells, for its sums; and for messages, as NeighbourExchange does.
  void v_cycle(const Exec& exec, std::size_t number, VCycle kind = VCycle::plain) const;

  /// Iterations of the coarsest level's solver in all cycles so far that `exec` has been waited for; 0 on ranks without
  /// boxes there.
  std::int64_t bottom_iterations() const { return below_ ? below_->bottom_iterations() : bottom_.iterations(); }

  /// Whether a visit of this level and all coarser ones is one kernel.
  bool is_one_kernel(std::size_t number) const { return lists_.has(number); }
  /// Why the cycles of this level are not replayed as graphs; empty where they are, on a stream that can be captured.
  std::string why_no_graph(std::size_t number) const;

  /// Solves A u = f on the level from u = 0, by one F-cycle, or by V-cycles or both until max |f - A u| is below
  /// rtol * max |f|, but by `max_cycles` V-cycles at most.
  ///
  /// Async    waits for `exec` at the end of each cycle, for its norm; in a cycle as v_cycle() does.
  CycleReport solve(const Exec& exec, Cycle cycle, std::size_t number = 0, double rtol = 1e-10,
                    int max_cycles = 20) const;

  /// max |R u - u of the next level|, where R takes means: how far the solutions of two levels are apart. Both have
  /// been solved for. Uses the temp of the coarser one.
  double richardson_error(const Exec& exec, std::size_t fine) const;

  /// Throws CommError where a device has waited for another rank in vain so far, in the stream and kernel modes. So
  /// does the next exchange otherwise, and solve() at its end.
  void check() const;

  /// From here on each phase of a cycle is timed, in `times`; nullptr: no longer. On all ranks alike. It is not copied.
  void count_times(PhaseTimes* times);

  /// Seconds that this rank's host has spent on levels that run there, since the multigrid was made.
  double seconds_on_host() const { return seconds_on_host_; }

 private:
  template <execution_space OtherExec, class OtherReal>
  friend class Multigrid;

  /// The levels from `first_number` on.
  Multigrid(const Exec& exec, const std::vector<BoxGrid>& grids, const MultigridOptions& options,
            std::shared_ptr<const Communicator> comm, std::size_t first_number);

  void run(const Exec& exec, std::size_t number, Visit visit) const;
  void visit(const Exec& exec, std::size_t number, Visit visit, bool from_zero) const;
  bool has_part_from(std::size_t number) const;
  bool begins_graphs(std::size_t number) const;
  bool waits_on_host(std::size_t number) const;
  void visit_by_graph(const Exec& exec, std::size_t number, Visit visit, bool from_zero) const;
  void visit_by_list(const Exec& exec, std::size_t number, Visit visit, bool from_zero) const;
  void launch_visit(const Exec& exec, std::size_t number, Visit visit, bool from_zero) const;
  void smooth_down_and_up(const Exec& exec, std::size_t number, Visit visit) const;
  void solve_bottom(const Exec& exec, Visit visit) const;
  void make_lists(const Exec& exec);
  void prolong(const Exec& exec, std::size_t fine, bool within_v_cycle) const;
  void restrict_to_next(const Exec& exec, std::size_t fine, const Vector& from) const;
  template <class Work>
  auto on_host(const Exec& exec, const Work& work) const;

  MultigridOptions options_;
  std::shared_ptr<const Communicator> comm_;
  std::vector<Level<Exec, Real>> levels_;
  std::vector<LevelTransfer<Exec, Real>> transfers_;
  BottomSolver<Exec, Real> bottom_;  // where no level is on the host
  impl::VisitLists<Exec, Real> lists_;
  std::string why_no_lists_ = "it is not set up";
  bool shares_device_ = false;                                                    // any two of the ranks
  bool all_capture_ = true;                                                       // all ranks, as set_up() finds
  mutable impl::VisitGraphs<Exec, std::tuple<std::size_t, Visit, bool>> graphs_;  // by level, and whether from zero

  std::unique_ptr<Multigrid<HostExecution, Real>> below_;    // of the levels on the host, if there are any
  std::unique_ptr<const HostTransfer<Exec, Real>> to_host_;  // between the last of levels_ and the first of those
  mutable double seconds_on_host_ = 0;
};

/// What the analysis of Richardson makes of solutions on three levels: the error of the finest is about that between it
/// and the next, and the ratio of two such errors tells the order.
struct RichardsonReport {
  CycleReport h, h2, h4;
  double error = 0, order = 0;
};

/// Solves on the three finest levels. None where there are fewer than three.
template <execution_space Exec>
std::optional<RichardsonReport> richardson(const Exec& exec, const Multigrid<Exec>& multigrid, Cycle cycle);

extern template class Multigrid<Kokkos::DefaultExecutionSpace, double>;
extern template class Multigrid<Kokkos::DefaultExecutionSpace, float>;
extern template std::optional<RichardsonReport> richardson(const Kokkos::DefaultExecutionSpace&,
                                                           const Multigrid<Kokkos::DefaultExecutionSpace>&, Cycle);

}  // namespace ashlar::multigrid

#include <ashlar/multigrid/impl/multigrid_explain.hpp>
#include <ashlar/multigrid/impl/multigrid_methods.hpp>
