#pragma once

#include <Kokkos_Core.hpp>
#include <array>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/cycles/executors.hpp>
#include <ashlar/halo/exchange_mode.hpp>
#include <ashlar/multigrid/bottom_solver.hpp>
#include <ashlar/multigrid/box_grid.hpp>
#include <ashlar/multigrid/host_levels.hpp>
#include <ashlar/multigrid/impl/cycle_level.hpp>
#include <ashlar/multigrid/impl/one_kernel.hpp>
#include <ashlar/multigrid/level.hpp>
#include <ashlar/multigrid/methods.hpp>
#include <ashlar/multigrid/transfer.hpp>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ashlar::multigrid {

/// By default levels of so many cells and fewer are one kernel: with CUDA one grid runs it; elsewhere on GPUs one team;
/// on CPUs launches cost little.
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
  /// A level of this number of cells or fewer, and all coarser ones, run as one kernel in a cycle, if one rank has all
  /// of them (make_hierarchy() gives small levels to one); 0: none is. The same bits.
  std::int64_t one_kernel_cells = default_one_kernel_cells;
  /// The launches of a cycle are captured at its second run, and replayed by one launch from then on, if the backend
  /// has graphs, all levels are on the device, and the host waits for no message between ranks (it does in the blocking
  /// mode; then only levels that are one rank's are captured). All ranks replay, or none does, as
  /// set_up() finds it: a tool that watches kernels comes and goes on all of them alike. The same bits.
  bool graphs = true;
  SweepForm sweeps = SweepForm::automatic;  ///< with fv4; levels on the host choose for themselves
};

/// A cycle that begins on a level: the plain V-cycle of the benchmark; one that is as symmetric as the operator is, for
/// CG: the smoothing after the coarser level is the adjoint of the smoothing before, and the coarsest level is solved
/// to rounding; or an F-cycle.
enum class LevelCycle { v, symmetric_v, f };
inline constexpr std::array all_level_cycles{LevelCycle::v, LevelCycle::symmetric_v, LevelCycle::f};

/// The result of a solve.
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

  /// Allocates all that it will need. `grids` come from make_hierarchy() for this rank of `comm`. Collective; `comm` is
  /// not used later.
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
  std::size_t num_levels() const { return levels_.size() + (host_ ? host_->levels().num_levels() : 0); }
  /// The level is small, and runs on the host.
  bool is_on_host(std::size_t number) const { return number >= levels_.size(); }
  /// A level in the memory of Exec.
  ///
  /// Throws   ArgumentError where it is on the host, and Exec is a device's.
  const Level<Exec, Real>& level(std::size_t number) const {
    if (!is_on_host(number)) return levels_[number];
    if constexpr (std::same_as<Exec, HostExecution>) {
      return host_->levels().level(number - levels_.size());
    } else {
      throw ArgumentError(text("multigrid: level ", number, " as one of the device"), "it is on the host",
                          "use with_level(), or a smaller host_threshold");
    }
  }
  /// work(level) with any level, wherever it is: a Level<Exec, Real> or a Level<HostExecution, Real>.
  template <class Work>
  decltype(auto) with_level(std::size_t number, const Work& work) const {
    return is_on_host(number) ? work(host_->levels().level(number - levels_.size())) : work(levels_[number]);
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
  /// The steps of a cycle that begins on this level with its u, and the executors that run them, a line each. On this
  /// rank: those on levels of which it may have boxes.
  std::string describe_cycle(LevelCycle kind, std::size_t number = 0) const;

  /// Restricts the coefficients and the right-hand side of the finest level to all others, and finds the diagonals.
  /// If overlap is automatic, each level over ranks in the blocking mode is timed with and without.
  ///
  /// Async    waits for `exec`.
  /// Throws   NumericalError, on all ranks alike, where a diagonal is not positive.
  void set_up(const Exec& exec);

  /// One cycle on the level for A u = r, from its u on; an F-cycle makes its own u.
  ///
  /// Async    enqueued on `exec`. The host waits if levels run there, once for each restriction to them; if a
  ///          coarsest level has more than 4096 cells, for its sums; and for messages, as NeighbourExchange does.
  void run_cycle(const Exec& exec, std::size_t number, LevelCycle kind = LevelCycle::v) const;

  /// Iterations of the coarsest level's solver in all cycles so far that `exec` has been waited for; 0 on ranks without
  /// boxes there.
  std::int64_t bottom_iterations() const { return host_ ? host_->levels().bottom_iterations() : bottom_.iterations(); }

  /// Cycles that begin on this level are one kernel.
  bool is_one_kernel(std::size_t number) const { return number >= first_of_one_kernel_ && number + 1 < levels_.size(); }
  /// Why the cycles of this level are not replayed as graphs; empty where they are, on a stream that can be captured.
  std::string why_no_graph(std::size_t number) const;

  /// Solves A u = f on the level from u = 0, by one F-cycle, or by V-cycles or both until max |f - A u| is below
  /// rtol * max |f|, but by `max_cycles` V-cycles at most.
  ///
  /// Async    waits for `exec` at the end of each cycle, for its norm; in a cycle as run_cycle() does.
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
  double seconds_on_host() const { return host_ ? host_->seconds() : 0; }

 private:
  template <execution_space OtherExec, class OtherReal>
  friend class Multigrid;
  using Parts = std::vector<cycles::Part>;

  /// For cycles::run().
  struct Executors;

  /// The levels from `first_number` on.
  Multigrid(const Exec& exec, const std::vector<BoxGrid>& grids, const MultigridOptions& options,
            std::shared_ptr<const Communicator> comm, std::size_t first_number);

  void make_cycles(const Exec& exec);
  std::string find_first_of_one_kernel();
  Parts make_parts(const Exec& exec, std::vector<cycles::Step> steps);
  const Parts& cycle_of(std::size_t number, LevelCycle kind) const;
  void run_parts(const Exec& exec, const Parts& parts) const;
  bool has_part_from(std::size_t number) const;

  MultigridOptions options_;
  std::shared_ptr<const Communicator> comm_;
  std::vector<Level<Exec, Real>> levels_;
  std::vector<LevelTransfer<Exec, Real>> transfers_;
  BottomSolver<Exec, Real> bottom_;                      // where no level is on the host
  std::unique_ptr<const HostLevels<Exec, Real>> host_;   // where levels are
  std::vector<impl::CycleLevel<Exec, Real>> of_cycles_;  // levels_ as steps see them, and the first on the host

  bool is_set_up_ = false;
  bool shares_device_ = false;  // any two of the ranks
  bool all_capture_ = true;     // all ranks, as set_up() finds

  // The cycles, each made once: by level and kind; and those that a multigrid hands over to this one on the host.
  std::vector<Parts> cycles_;
  mutable std::map<int, Parts> handed_over_;
  cycles::PartCutter cutter_;
  std::size_t first_of_one_kernel_ = std::numeric_limits<std::size_t>::max();
  std::string why_no_kernel_;
  impl::Programs<Exec, Real> programs_;
  mutable cycles::Graphs<Exec> graphs_;
};

/// Richardson's analysis of solutions on three levels. The error of the finest is about its difference to the next one,
/// and the ratio of two such errors gives the order.
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

#include <ashlar/multigrid/impl/multigrid_cycles.hpp>
#include <ashlar/multigrid/impl/multigrid_explain.hpp>
#include <ashlar/multigrid/impl/multigrid_set_up.hpp>
