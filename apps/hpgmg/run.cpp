#include "hpgmg/run.hpp"

#include <algorithm>
#include <ashlar/host/text_file.hpp>
#include <ashlar/multigrid/benchmark_problem.hpp>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hpgmg/outcome.hpp"
#include "output_file.hpp"

namespace ashlar::app {

namespace {

/// Solves over and over for half a second, but 3 times at least. The first solve has been made before.
std::vector<double> time_solves(const Execution& exec, const multigrid::Multigrid<Execution>& mg,
                                multigrid::Cycle cycle) {
  std::vector<double> seconds;
  double all = 0;  // the same on all ranks, which decide by it
  while (seconds.size() < 3 || (all < 0.5 && seconds.size() < 1000)) {
    mg.communicator().barrier();
    const Kokkos::Timer timer;
    mg.solve(exec, cycle);
    seconds.push_back(mg.communicator().max(timer.seconds()));
    all += seconds.back();
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds;
}

/// The levels of the ranks' grids. What fails on some ranks is told by one of them.
std::unique_ptr<multigrid::Multigrid<Execution>> make_multigrid(const Execution& exec, const World& world,
                                                                const HpgmgOptions& options) {
  const Communicator& comm = world.comm();
  const auto grids = grids_of(options, comm.size(), comm.rank());
  std::unique_ptr<multigrid::Multigrid<Execution>> mg;
  std::exception_ptr failure;
  try {
    mg = std::make_unique<multigrid::Multigrid<Execution>>(exec, grids, options.methods, comm);
  } catch (...) {
    failure = std::current_exception();
  }
  world.on_all([&] {
    if (failure) std::rethrow_exception(failure);
  });
  return mg;
}

}  // namespace

int run_hpgmg(const World& world, const HpgmgOptions& options) {
  const Execution exec;
  std::optional<OutputFile> report;
  world.on_all([&] {
    if (options.report && world.speaks()) report.emplace(*options.report);
  });
  // What is on standard output is the report then.
  const bool prints = world.speaks() && options.report != "-";

  const auto levels = make_multigrid(exec, world, options);
  multigrid::Multigrid<Execution>& mg = *levels;
  multigrid::set_benchmark_problem(exec, mg.level(0));
  world.alike([&] { mg.set_up(exec); });
  if (prints) print_levels(mg);

  HpgmgOutcome outcome{options,
                       {},
                       multigrid::richardson(exec, mg, options.cycle),
                       0,
                       0,
                       multigrid::PhaseTimes(mg.num_levels()),
                       exchange_of_levels(mg)};
  outcome.solve = outcome.richardson ? outcome.richardson->h : mg.solve(exec, options.cycle);
  const std::vector<double> seconds = time_solves(exec, mg, options.cycle);
  outcome.seconds = seconds[seconds.size() / 2];
  outcome.num_solves = static_cast<int>(seconds.size());
  mg.count_times(&outcome.times);
  mg.solve(exec, options.cycle);
  mg.count_times(nullptr);
  outcome.times.take_slowest(world.comm());

  if (prints) print_outcome(mg, outcome);
  world.on_all([&] {
    if (report) report->write([&](const std::string& name) { write_text_file(name, report_json(mg, outcome)); });
  });
  return outcome.solve.converged ? 0 : 2;
}

}  // namespace ashlar::app
