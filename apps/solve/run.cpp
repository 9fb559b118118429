#include "solve/run.hpp"

#include <ashlar/krylov/report.hpp>
#include <ashlar/trace/recorder.hpp>
#include <iostream>
#include <optional>

#include "probe.hpp"
#include "solve/checks.hpp"
#include "solve/files.hpp"
#include "solve/outputs.hpp"
#include "solve/progress_line.hpp"
#include "solve/report.hpp"
#include "solve/solve.hpp"
#include "solve/system.hpp"

namespace ashlar::app {

void check_before_start(const SolveOptions& options) {
  check_options(options);
  check_files(options);
  check_headers(options);
}

int run_solve(const SolveOptions& options, Phases& phases) {
  const Execution exec;
  std::optional<trace::Recorder> recorder;
  if (options.trace) recorder.emplace();
  const LinearSystem system = phases.run("load", [&] { return load_system(exec, options); });
  phases.run("check", [&] {
    if (options.matrix && !options.skip_symmetry_check) require_symmetric(exec, system.matrix, *options.matrix);
  });
  const double bandwidth = phases.run("probe", [] { return read_bandwidth(); });

  const Solution solution = [&] {
    ProgressLine progress;
    return solve(exec, system, options, phases,
                 [&](int iterations, double residual) { progress.show(iterations, residual); });
  }();
  const bool x_is_finite = phases.run("write", [&] { return write_outputs(exec, options, system, solution); });

  Outcome outcome{options, system, solution, phases, this_device(), std::nullopt, bandwidth};
  if (system.ones_is_solution) outcome.error = error_against_ones(exec, solution.x);
  if (options.history) print_history(solution.report);
  print_summary(outcome);
  if (!x_is_finite) std::cout << "           x holds NaN or infinity: neither --solution nor --vtk is written\n";
  if (recorder) recorder->write(*options.trace);
  if (options.report) write_report(*options.report, outcome);
  return solution.report.status == SolveStatus::converged ? 0 : 2;
}

}  // namespace ashlar::app
