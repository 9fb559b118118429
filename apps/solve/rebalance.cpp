#include "solve/ranks.hpp"

#include <algorithm>
#include <ashlar/base/text.hpp>
#include <ashlar/distributed/scatter.hpp>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>

#include "numbers.hpp"
#include "solve/progress.hpp"

namespace ashlar::app {

namespace {

constexpr int iterations_of_trial = 20, most_moves = 3;

/// Blocks of each rank. Collective.
template <class Exec>
std::vector<double> blocks_of_ranks(const Communicator& comm, const LinearSystem<Exec>& system) {
  return comm.all_gather(double(system.over_ranks->num_blocks()));
}

/// Speeds by the time that the ranks were busy in iterations with so many blocks each; those without rows keep theirs.
std::vector<RankSpeed> speeds_by_busy_times(const std::vector<double>& blocks, const std::vector<double>& busy_seconds,
                                            std::vector<RankSpeed> speeds) {
  for (std::size_t rank = 0; rank < speeds.size(); ++rank) {
    if (blocks[rank] == 0 || !(busy_seconds[rank] > 0)) continue;
    speeds[rank] = speed_by_busy_time(blocks[rank], busy_seconds[rank], speeds[rank].seconds_besides);
  }
  return speeds;
}

/// True if a rank that has blocks is to have none.
bool leaves_some_out(const std::vector<double>& blocks, const std::vector<double>& shares) {
  for (std::size_t rank = 0; rank < blocks.size(); ++rank) {
    if (blocks[rank] > 0 && shares[rank] == 0) return true;
  }
  return false;
}

template <class Exec>
Vector<Exec> dealt_anew(const Exec& exec, const Communicator& comm, const RowPartition& partition, int block_size,
                        const Vector<Exec>& x) {
  return scatter_vector(exec, comm, partition, block_size, gather_vector(exec, comm, x));
}

}  // namespace

template <class Exec>
Rebalanced<Exec> rebalance(const Exec& exec, const World& world, const SolveOptions& options,
                           const RowSource<Exec>& source, LinearSystem<Exec> system, std::vector<RankSpeed> speeds,
                           double seconds_of_distribution, const Monitor& monitor) {
  const Communicator& comm = world.comm();
  Rebalanced<Exec> result{std::move(system), {}, {}, std::move(speeds), {}, {}};
  SolveOptions trial = options;
  trial.outputs.efficiency.reset();
  trial.method.max_iterations = iterations_of_trial;
  std::int64_t left = options.method.max_iterations;
  for (int moves = 0; moves < most_moves && left > 2 * iterations_of_trial; ++moves) {
    const std::vector<double> blocks = blocks_of_ranks(comm, result.system);
    if (std::count_if(blocks.begin(), blocks.end(), [](double its) { return its > 0; }) < 2) break;

    Phases phases;
    const Monitor of_trial = monitor.seen_from(int(result.residuals.size()), 1);
    SolveTrace<Exec>* const no_trace = nullptr;
    const Solution<Exec> solution = solve(exec, world, result.system, trial, phases, of_trial, no_trace, result.x);
    const SolveReport& report = solution.report;
    const bool is_interrupted = report.status == SolveStatus::interrupted;
    // --solver auto may have gone on by MINRES, whose iterations take another time.
    if (report.iterations == 0 || solution.solver != trial.method.solver ||
        (report.status != SolveStatus::iteration_limit && report.status != SolveStatus::converged && !is_interrupted)) {
      // The solve itself is to find out, and to say so.
      result.x = {};
      result.residuals.clear();
      break;
    }
    result.x = solution.x;
    const auto& history = report.residual_history;
    result.residuals.insert(result.residuals.end(), history.begin(), history.end() - 1);
    left -= report.iterations;
    if (is_interrupted) break;  // the solve goes on from here, and ends at its first check

    const double busy = (phases.seconds_of("solve") - solution.idle_seconds) / report.iterations;
    result.speeds = speeds_by_busy_times(blocks, comm.all_gather(busy), std::move(result.speeds));
    const double weight = std::accumulate(blocks.begin(), blocks.end(), 0.0);
    const RankShares shares = share_by_speed(weight, result.speeds);
    const double now = seconds_of_parts(blocks, result.speeds);
    const double saved = std::max(now - shares.seconds, 0.0);
    const bool leaves_out = leaves_some_out(blocks, shares.shares);
    // The solve restarts without some ranks.
    const double cost = seconds_of_distribution + (leaves_out ? now * double(result.residuals.size()) : 0);
    const std::int64_t expected = iterations_left(history, options.method.rtol, left);
    const double repaid = saved * double(expected);
    const std::string numbers =
        text(leaves_out ? "to restart without some ranks takes " : "to redistribute them takes ", short_number(cost),
             " s, and saves ", short_number(1e6 * saved), " us in each of the ", count_text(expected, "iteration"),
             " likely left");
    const RowPartition partition = RowPartition::by_shares(source.row_ptr(), shares.shares);
    if (!(repaid > cost) || partition == result.system.over_ranks->partition()) {
      result.decided.push_back("the rows stay where they are: " + numbers);
      break;
    }
    if (leaves_out) {
      result.decided.push_back("the rows of some ranks go to the others: " + numbers);
      result.shares = shares.shares;
      break;
    }
    result.decided.push_back("the rows were redistributed: " + numbers);
    const Kokkos::Timer timer;
    result.system = {};  // its memory goes before that of the next
    result.system = make_rank_system(exec, world, options, source, partition);
    result.x = dealt_anew(exec, comm, partition, result.system.block_size(), result.x);
    seconds_of_distribution = comm.max(timer.seconds());
  }
  return result;
}

template Rebalanced<HostExecution> rebalance(const HostExecution&, const World&, const SolveOptions&,
                                             const RowSource<HostExecution>&, LinearSystem<HostExecution>,
                                             std::vector<RankSpeed>, double, const Monitor&);
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
template Rebalanced<Execution> rebalance(const Execution&, const World&, const SolveOptions&,
                                         const RowSource<Execution>&, LinearSystem<Execution>, std::vector<RankSpeed>,
                                         double, const Monitor&);
#endif

}  // namespace ashlar::app
