#include "solve/run.hpp"

#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/device/probes/bandwidth.hpp>
#include <ashlar/distributed/rank_speed.hpp>
#include <ashlar/host/text_file.hpp>
#include <ashlar/krylov/report.hpp>
#include <ashlar/krylov/solver_options.hpp>
#include <cstdint>
#include <iostream>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "file_names.hpp"
#include "matrix_bytes.hpp"
#include "numbers.hpp"
#include "solve/files.hpp"
#include "solve/memory_need.hpp"
#include "solve/progress.hpp"
#include "solve/ranks.hpp"
#include "solve/report.hpp"
#include "solve/solve.hpp"
#include "solve/solver_parts.hpp"
#include "solve/system.hpp"
#include "solve/threads.hpp"
#include "solve_trace.hpp"
#include "stop_signals.hpp"
#include "world.hpp"

namespace ashlar::app {

namespace {

/// The rate at which the device reads its memory, where it is to be measured.
template <class Exec>
std::optional<double> probe(const Exec& exec, const OutputOptions& options) {
  if (options.no_probe) return std::nullopt;
  // The size on a host is limited so that it is written and read in a few tenths of a second, even if the last cache is
  // reported as very large.
  constexpr std::int64_t most_of_host = std::int64_t(256) << 20;
  const auto quarter = static_cast<std::int64_t>(bytes_left<typename Exec::memory_space>() / 4);
  const std::int64_t bytes = std::min(bandwidth_probe_bytes<Exec>(), quarter);
  return measure_read_bandwidth(exec, is_gpu_v<Exec> ? bytes : std::min(bytes, most_of_host));
}

/// The same of all ranks, in their order; nothing where it is not to be measured. Collective.
template <class Exec>
std::vector<double> probe_all(const Exec& exec, const World& world, const OutputOptions& options) {
  world.comm().barrier();  // all together: some may share a memory
  const std::optional<double> mine = world.on_all([&] { return probe(exec, options); });
  return mine ? world.comm().all_gather(*mine) : std::vector<double>();
}

/// Bytes of the solve on this rank. A file is read by as many threads as there are.
template <class Exec>
std::uint64_t bytes_here(const LinearSystem<Exec>& system, const SolveOptions& options) {
  if (system.in_file) return std::numeric_limits<std::uint64_t>::max();
  std::int64_t block_rows = system.num_block_rows(), blocks = system.num_blocks();
  if (const auto& op = system.over_ranks) {
    block_rows = op->partition().size(op->communicator().rank());
    blocks = op->num_blocks();
  }
  return device_bytes({std::uint64_t(block_rows), std::uint64_t(blocks), std::uint64_t(system.block_size())}, options);
}

/// Each rank's part and its figures in the solve; empty for a single rank. Collective.
template <class Exec>
std::vector<RankAccount> account_of_ranks(const Communicator& comm, const LinearSystem<Exec>& system,
                                          const Solution<Exec>& solution, const std::vector<double>& speeds,
                                          double solve_seconds) {
  if (!system.over_ranks) return {};
  const std::vector<std::string> hosts = comm.all_gather(comm.transport().host_name());
  const Device device = device_of(Exec());
  const std::vector<std::string> devices = comm.all_gather(device.name), spaces = comm.all_gather(device.backend);
  const auto rows = comm.all_gather(system.over_ranks->partition().size(comm.rank()));
  const auto blocks = comm.all_gather(system.over_ranks->num_blocks());
  const auto busy = comm.all_gather(solve_seconds - solution.waited_seconds);
  const auto waited = comm.all_gather(solution.waited_seconds);
  const auto idle = comm.all_gather(solution.idle_seconds);
  const auto alone = comm.all_gather(solution.alone_seconds.value_or(0));
  const auto halos = comm.all_gather(solution.halo);
  struct Held {
    std::uint64_t device_bytes, sent_bytes;
    bool streamed, has_share;
    double hidden_share;
  };
  const auto* const streamed = system.over_ranks->streamed();
  const auto held =
      comm.all_gather(Held{system.over_ranks->bytes().device, streamed ? streamed->estimate().sent_bytes : 0,
                           streamed != nullptr, solution.hidden_share.has_value(), solution.hidden_share.value_or(0)});
  std::vector<RankAccount> ranks;
  for (std::size_t k = 0; k < hosts.size(); ++k) {
    const auto speed = speeds.empty() ? std::nullopt : std::optional(speeds[k]);
    const auto seconds_alone = solution.alone_seconds ? std::optional(alone[k]) : std::nullopt;
    const auto seconds_idle = solution.report.iterates_in_kernel ? std::nullopt : std::optional(idle[k]);
    ranks.push_back({hosts[k], spaces[k], devices[k], speed, std::nullopt, rows[k], blocks[k], busy[k], waited[k],
                     seconds_idle, seconds_alone, held[k].device_bytes,
                     held[k].streamed ? std::optional(held[k].sent_bytes) : std::nullopt,
                     held[k].has_share ? std::optional(held[k].hidden_share) : std::nullopt, halos[k]});
  }
  return ranks;
}

/// All that is told and written of a solve, by rank 0. Collective.
template <class Exec>
void tell(const Exec& exec, const World& world, const LinearSystem<Exec>& system, const Solution<Exec>& solution,
          const Outcome& outcome, Phases& phases, const SolveTrace<Exec>* trace) {
  const auto& [source, method, placement, distribution, outputs] = outcome.options;
  // Nobody reads what the other ranks say.
  std::ostream nowhere(nullptr);
  std::ostream& out = !world.speaks() ? nowhere : uses_standard_output(outputs) ? std::cerr : std::cout;
  // The report first: a disk that the rest fills up does not cost it.
  WriteErrors errors;
  const auto write = [&](const std::optional<std::string>& path, const auto& work) {
    if (path && world.speaks()) errors.keep_from([&] { OutputFile(*path).write(work); });
  };
  write(outputs.report, [&](const std::string& name) { write_text_file(name, report_json(outcome)); });
  if (outputs.history) print_history(out, outcome.solution.report);
  print_summary(out, outcome);
  if (trace != nullptr) {
    for (const std::string& note : trace->notes()) out << "trace      " << note << "\n";
  }
  out.flush();

  phases.run("write", [&] {
    errors.keep_from([&] {
      if (!write_outputs(exec, world, outputs, system, solution, errors)) {
        out << "           x holds NaN or infinity: neither --solution nor --vtk is written\n";
      }
    });
  });
  if (outcome.solution.tuning) errors.keep_from([&] { outcome.solution.tuning->save(*method.tune); });
  if (trace != nullptr) {
    const std::string json = trace->json(world.comm());
    write(outputs.trace, [&](const std::string& name) { write_text_file(name, json); });
  }
  errors.rethrow(world);
}

}  // namespace

namespace {

void require_same_inputs(const World& world, const SolveOptions& options) {
  for (const auto& large : {options.source.matrix, options.source.rhs, options.source.initial_guess}) {
    if (large) require_same_file(world, *large, beginning_of_matrix);
  }
  for (const SharedInput& file : inputs_of_all_ranks(options)) require_same_file(world, file.path);
}

}  // namespace

void check_before_start(const World& world, SolveOptions& options) {
  world.on_all([&] {
    check_options(options, world.comm().size());
    check_files(options, world.comm().rank(), world.comm().size());
  });
  require_same_inputs(world, options);
  world.on_all([&] {
    check_headers(options);
    count_right_hand_sides(options);
    count_modes(options);
    if (options.outputs.efficiency) read_one_rank_run(*options.outputs.efficiency, options);
    if (options.outputs.resume) check_checkpoint_header(world, *options.outputs.resume);
  });
  roles_of(world, options.distribution.ranks_on_host);
  check_shared_outputs(world, options.outputs);
}

namespace {

/// The instance of a rank, with the threads asked for; beside devices with those that nobody else needs. Collective.
template <class Exec>
Exec instance_of_rank(const World& world, const SolveOptions& options, const RankRoles& roles) {
  std::optional<int> threads = options.method.threads;
  if (is_gpu_v<Execution> && options.distribution.ranks_on_host > 0) {
    const ProcessorsShared shared = processors_of_rank(world.comm(), roles.on_host);
    // Ranks on devices are not meant.
    if (!roles.on_host) threads.reset();
    if (roles.on_host && !threads && shared.threads() < Exec().concurrency()) threads = shared.threads();
  }
  return world.on_all([&] { return instance_of_threads<Exec>(threads); });
}

/// The speed of each rank, and its share of the rows for it.
struct RankRates {
  std::vector<RankSpeed> speeds;
  std::vector<double> shares;

  std::string why_none = "it would cost the others more than it saves";  ///< of ranks without a share

  bool leave_some_out() const { return std::count(shares.begin(), shares.end(), 0) > 0; }
};

/// Collective.
template <class Exec>
RankRates measure_rates(const Exec& exec, const World& world, const SolveOptions& options, const RankRoles& roles,
                        const RowSource<Exec>& source) {
  if (options.distribution.partition == "auto" && one_device_streams(world, options, roles, source)) {
    return {{},
            world.comm().all_gather(roles.on_host ? 0.0 : 1.0),
            "the matrix is streamed to one device, whose rank lets the host multiply a share by itself"};
  }
  RankRates rates{measure_speeds(exec, world, options, roles, source), {}};
  // (Where nobody computes on a device, no rank is left out for being on its host.)
  const std::vector<int> on_host = world.comm().all_gather(is_gpu_v<Exec> ? 0 : 1);
  rates.shares = share_with_hosts(double(source.num_blocks), rates.speeds, on_host).shares;
  return rates;
}

using Decided = std::vector<std::string>;

/// The exit code of a solve, unless a signal has interrupted its iterations.
int exit_code_of(int signal_number, int of_solve) {
  return signal_number > 0 ? exit_by_signal + signal_number : of_solve;
}

void say_stopped(int signal_number, const SolveReport& report) {
  const bool is_interrupted = report.status == SolveStatus::interrupted;
  std::cerr << "ashlar: " << signal_name(signal_number) << (is_interrupted ? " stopped" : " came at the end of")
            << " the solve, after " << count_text(report.iterations, "iteration") << " (" << to_string(report.status)
            << ", relative residual " << short_number(report.relative_residual) << "); outputs hold the last x"
            << std::endl;
}

template <class Exec>
int run_on(const World& world, const SolveOptions& options, const RankRoles& roles, Phases& phases, Decided decided);

/// run_on() the ranks that have a share, as if they had been started alone: they neither send to the others nor wait
/// for them, and one by itself is as fast as it can be. The others wait for the end. Collective.
template <class Exec>
int run_on_sharers(const World& world, SolveOptions options, const RankRoles& roles, Phases& phases,
                   const RankRates& rates, Decided decided) {
  const std::vector<double>& shares = rates.shares;
  const bool has_share = shares[std::size_t(world.comm().rank())] > 0;
  const World sharers = world.part(has_share);
  for (std::size_t rank = 0; rank < shares.size(); ++rank) {
    if (shares[rank] > 0) continue;
    decided.push_back(text("rank ", rank, " has no rows: ", rates.why_none));
  }
  if (sharers.is_alone()) options.outputs.efficiency.reset();  // there is none of one rank
  const auto solve_here = [&] {
    return has_share ? run_on<Exec>(sharers, options, roles, phases, std::move(decided)) : 0;
  };
  // A signal that all ranks get is for those that iterate.
  std::optional<StopSignals::Iterations> waiting;
  if (!has_share) waiting.emplace();
  const int exit_code = world.on_all(solve_here);
  return world.comm().max(exit_code_of(StopSignals::received(), exit_code));
}

/// The solve that goes on after balancing, with all iterations in its report.
template <class Exec>
Solution<Exec> solve_on(const Exec& exec, const World& world, const LinearSystem<Exec>& system, SolveOptions options,
                        const Rebalanced<Exec>& balanced, Phases& phases, const Monitor& monitor,
                        SolveTrace<Exec>* trace) {
  const auto& before = balanced.residuals;
  const auto made = static_cast<int>(before.size());
  options.method.max_iterations -= made;
  Solution<Exec> solution = solve(exec, world, system, options, phases, monitor.seen_from(made, 1), trace, balanced.x);
  solution.iterations_before = made;
  solution.report.iterations += made;
  auto& history = solution.report.residual_history;
  history.insert(history.begin(), before.begin(), before.end());
  return solution;
}

/// run_solve() on a rank that computes by Exec, of whose rows this has been decided before.
template <class Exec>
int run_on(const World& world, const SolveOptions& asked, const RankRoles& roles, Phases& phases, Decided decided) {
  SolveOptions options = asked;
  const Communicator& comm = world.comm();
  const Exec all = instance_of_rank<Exec>(world, options, roles);
  // With --threads it is told how many of all solved.
  const Device device = device_of(options.method.threads ? Exec() : all);
  std::optional<SolveTrace<Exec>> trace;
  comm.barrier();  // the ranks' times begin here
  if (options.outputs.trace) trace.emplace();
  SolveTrace<Exec>* const recorded = trace ? &*trace : nullptr;

  // A weighted partition comes first: the system is made by it.
  const DistributionOptions& distribution = options.distribution;
  std::vector<double> speeds;
  const auto probe_ranks = [&] {
    speeds = phases.run("probe", [&] { return probe_all(all, world, options.outputs); });
  };
  if (distribution.is_weighted()) probe_ranks();
  std::optional<RowSource<Exec>> source;  // until rows are distributed for the last time
  RankRates rates;
  if (distribution.has_rates() && !world.is_alone()) {
    rates = phases.run("measure", [&] {
      source = make_row_source(all, world, options);
      return measure_rates(all, world, options, roles, *source);
    });
    if (rates.leave_some_out()) {
      source.reset();
      trace.reset();  // the sharers have their own
      return run_on_sharers<Exec>(world, options, roles, phases, rates, std::move(decided));
    }
  }
  double seconds_of_distribution = 0;
  LinearSystem<Exec> system = phases.run("load", [&] {
    if (world.is_alone()) {
      LinearSystem<Exec> whole = make_system(all, options);
      if (const auto file = distribution.partition_file()) read_partition(*file, whole.num_block_rows(), 1);
      return whole;
    }
    if (!source) source = make_row_source(all, world, options);
    const RowPartition partition =
        partition_of(world, options, *source, distribution.is_weighted() ? speeds : rates.shares);
    const Kokkos::Timer timer;
    LinearSystem<Exec> system_of_ranks = make_rank_system(all, world, options, *source, partition);
    seconds_of_distribution = comm.max(timer.seconds());
    return system_of_ranks;
  });
  phases.run("check", [&] {
    const SolverChoice choice = choose_solver(all, world, system, options);
    options.method.solver = choice.solver;
    options.method.why_solver = choice.why;
    const PreconditionerChoice preconditioner = choose_preconditioner(all, world, system, options);
    options.method.preconditioner = preconditioner.preconditioner;
    options.method.why_preconditioner = preconditioner.why;
  });
  if (!distribution.is_weighted()) probe_ranks();
  std::optional<OneRankRun> one_rank;
  if (options.outputs.efficiency) {
    world.on_all([&] {
      one_rank = read_one_rank_run(*options.outputs.efficiency, options);
      require_alike(*one_rank, system.account(), device);
    });
  }
  const Exec exec = options.method.threads ? all : instance_for_bytes(all, bytes_here(system, options));
  std::optional<ProgressLine> progress(std::in_place, world.speaks());
  const Monitor monitor = [&](int iterations, double residual) {
    if (StopSignals::received() > 0) return MonitorAction::stop;
    progress->show(iterations, residual);
    return MonitorAction::proceed;
  };
  std::optional<Rebalanced<Exec>> balanced;
  if (!rates.speeds.empty() && options.method.solver == SolverKind::cg && system.more_rhs.empty()) {
    balanced = phases.run("balance", [&] {
      return rebalance(exec, world, options, *source, std::move(system), rates.speeds, seconds_of_distribution,
                       monitor);
    });
    decided.insert(decided.end(), balanced->decided.begin(), balanced->decided.end());
  }
  source.reset();
  if (balanced && !balanced->shares.empty()) {
    rates.shares = balanced->shares;
    balanced.reset();
    progress.reset();
    trace.reset();
    return run_on_sharers<Exec>(world, asked, roles, phases, rates, std::move(decided));
  }
  if (balanced) {
    system = std::move(balanced->system);
    rates.speeds = balanced->speeds;
  }
  Solution<Exec> solution = balanced ? solve_on(exec, world, system, options, *balanced, phases, monitor, recorded)
                                     : solve(exec, world, system, options, phases, monitor, recorded);
  progress.reset();
  solution.report.bytes_moved = comm.sum(solution.report.bytes_moved);

  Outcome outcome{options, system.account(), solution, phases, device, exec.concurrency(), std::nullopt, std::nullopt};
  if (!speeds.empty()) outcome.read_bandwidth_gb_s = std::accumulate(speeds.begin(), speeds.end(), 0.0);
  outcome.ranks = account_of_ranks(comm, system, solution, speeds, phases.seconds_of("solve"));
  for (std::size_t rank = 0; rank < rates.speeds.size(); ++rank) {
    outcome.ranks[rank].nonzeros_per_second =
        rates.speeds[rank].weight_per_second * system.block_size() * system.block_size();
  }
  outcome.decided = std::move(decided);
  if (const int iterations = solution.report.iterations - solution.iterations_before; one_rank && iterations > 0) {
    outcome.seconds_on_one = one_rank->seconds_of_iteration * iterations;
  }
  // x without the null space is another solution than the ones.
  if (system.ones_is_solution && options.method.null_space == NullSpaceKind::none) {
    outcome.error = error_against_ones(exec, comm, solution.x);
  }
  tell(exec, world, system, solution, outcome, phases, recorded);
  const int signal_number = comm.max(StopSignals::received());
  if (signal_number > 0 && world.speaks()) say_stopped(signal_number, solution.report);
  return exit_code_of(signal_number, solution.report.status == SolveStatus::converged ? 0 : 2);
}

}  // namespace

int run_solve(const World& world, const SolveOptions& options, Phases& phases) {
  const StopSignals signals;
  const RankRoles roles = roles_of(world, options.distribution.ranks_on_host);
  if (!roles.on_host) return run_on<Execution>(world, options, roles, phases, {});
  SolveOptions of_host = options;
  if (is_gpu_v<Execution>) of_host.placement.device_memory_limit.reset();  // the others' limit
  return run_on<HostExecution>(world, of_host, roles, phases, {});
}

}  // namespace ashlar::app
