#include "hpgmg/options.hpp"

#include <algorithm>
#include <ashlar/host/text_file.hpp>
#include <ashlar/multigrid/benchmark_problem.hpp>
#include <ashlar/multigrid/level_vectors.hpp>
#include <ashlar/multigrid/operator.hpp>
#include <exception>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "file_names.hpp"
#include "hpgmg/conjugate_gradients.hpp"
#include "hpgmg/outcome.hpp"
#include "solve_trace.hpp"
#include "world.hpp"

namespace ashlar::app {

namespace {

/// Solves over and over for half a second, but 3 times at least. The first solve has been made before.
template <class Solve>
std::vector<double> time_solves(const Communicator& comm, const Solve& solve) {
  std::vector<double> seconds;
  double all = 0;  // the same on all ranks, which decide by it
  while (seconds.size() < 3 || (all < 0.5 && seconds.size() < 1000)) {
    comm.barrier();
    const Kokkos::Timer timer;
    solve();
    seconds.push_back(comm.max(timer.seconds()));
    all += seconds.back();
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds;
}

/// The levels of the ranks' grids. If some ranks fail, one of them reports the error.
template <class Real>
std::unique_ptr<multigrid::Multigrid<Execution, Real>> make_multigrid(const Execution& exec, const World& world,
                                                                      const HpgmgOptions& options) {
  using Levels = multigrid::Multigrid<Execution, Real>;
  const ExchangeMode mode = options.methods.exchange.mode;
  const bool may_stream = mode == ExchangeMode::automatic || mode == ExchangeMode::stream;
  const Communicator comm = may_stream ? world.with_streams() : world.comm().duplicate();
  const auto grids = grids_of(options, comm.size(), comm.rank());
  std::unique_ptr<Levels> mg;
  std::exception_ptr failure;
  try {
    mg = std::make_unique<Levels>(exec, grids, options.methods, comm);
  } catch (...) {
    failure = std::current_exception();
  }
  world.on_all([&] {
    if (failure) std::rethrow_exception(failure);
  });
  return mg;
}

/// The result of a solve by CG in the form of a solve by cycles. Uses level(0).temp.
multigrid::CycleReport judged(const Execution& exec, const multigrid::Multigrid<Execution>& mg, const SolveReport& cg) {
  const auto& level = mg.level(0);
  multigrid::residual(exec, level, level.u, level.f, level.temp);
  multigrid::CycleReport report;
  report.norms = {multigrid::max_norm(exec, level, level.temp)};
  report.norm_of_f = multigrid::max_norm(exec, level, level.f);
  report.rel = report.norms.back() / report.norm_of_f;
  report.converged = cg.status == SolveStatus::converged;
  return report;
}

/// A solve, recorded; its phases are timed one by one, as no graph is replayed then, of which nothing could be told.
/// Returns what readers have to know.
std::vector<std::string> write_trace(const World& world, const std::optional<OutputFile>& file,
                                     const std::function<void()>& solve, WriteErrors& errors) {
  world.comm().barrier();  // the ranks' times begin here
  std::string json;
  std::vector<std::string> notes;
  {
    const SolveTrace<Execution> recorded;
    solve();
    json = recorded.json(world.comm());
    notes = recorded.notes();
  }
  errors.keep_from([&] {
    if (file) file->write([&](const std::string& name) { write_text_file(name, json); });
  });
  return notes;
}

}  // namespace

int run_hpgmg(const World& world, const HpgmgOptions& options) {
  const Execution exec;
  std::optional<OutputFile> report, picture, trace;
  world.on_all([&] {
    if (options.report && world.speaks()) report.emplace(*options.report);
    if (options.picture && world.speaks()) picture.emplace(*options.picture);
    if (options.trace && world.speaks()) trace.emplace(*options.trace);
  });
  // Standard output then holds the report, the picture or the timeline.
  const bool prints = world.speaks() && options.report != "-" && options.picture != "-" && options.trace != "-";

  const std::shared_ptr<multigrid::Multigrid<Execution>> levels = make_multigrid<double>(exec, world, options);
  multigrid::Multigrid<Execution>& mg = *levels;
  multigrid::set_benchmark_problem(exec, mg.level(0));
  world.alike([&] { mg.set_up(exec); });
  if (prints) print_levels(mg);

  HpgmgOutcome outcome{options, {}, {}, {}, 0, 0, multigrid::PhaseTimes(mg.num_levels()), exchange_of_levels(mg)};
  std::function<void()> solve = [&] { mg.solve(exec, options.cycle); };
  std::shared_ptr<multigrid::Multigrid<Execution, float>> single;
  std::optional<MultigridCg> by_cg;
  if (options.solver == HpgmgSolver::mg_pcg) {
    if (options.precision == CyclePrecision::in_single) {
      single = make_multigrid<float>(exec, world, options);
      multigrid::copy_coefficients(exec, mg.level(0), single->level(0));
      world.alike([&] { single->set_up(exec); });
    }
    by_cg.emplace(exec, world, levels, single);
    solve = [&] { by_cg->solve(exec); };
    outcome.cg = by_cg->solve(exec);
    outcome.solve = judged(exec, mg, *outcome.cg);
  } else {
    outcome.richardson = multigrid::richardson(exec, mg, options.cycle);
    outcome.solve = outcome.richardson ? outcome.richardson->h : mg.solve(exec, options.cycle);
  }
  const std::vector<double> seconds = time_solves(mg.communicator(), solve);
  outcome.seconds = seconds[seconds.size() / 2];
  outcome.num_solves = static_cast<int>(seconds.size());
  const auto count_times = [&](multigrid::PhaseTimes* times) {
    mg.count_times(times);
    if (single) single->count_times(times);
  };
  count_times(&outcome.times);
  solve();
  count_times(nullptr);
  std::vector<std::string> notes;
  WriteErrors errors;
  if (options.trace) {
    multigrid::PhaseTimes of_recorded(mg.num_levels());
    count_times(&of_recorded);
    notes = write_trace(world, trace, solve, errors);
    count_times(nullptr);
  }
  outcome.times.take_slowest(world.comm());

  if (prints) {
    print_outcome(mg, outcome);
    for (const std::string& note : notes) std::cout << "trace: " << note << "\n";
  }
  errors.keep_from([&] {
    if (report) report->write([&](const std::string& name) { write_text_file(name, report_json(mg, outcome)); });
  });
  errors.keep_from([&] {
    if (options.picture) write_picture(exec, world, picture, mg.level(0));
  });
  errors.rethrow(world);
  return outcome.solve.converged ? 0 : 2;
}

}  // namespace ashlar::app
