#include "solve/run.hpp"

#include <ashlar/base/concepts.hpp>
#include <ashlar/device/bandwidth.hpp>
#include <ashlar/host/text_file.hpp>
#include <ashlar/krylov/report.hpp>
#include <iostream>
#include <optional>
#include <utility>

#include "number_text.hpp"
#include "solve/checks.hpp"
#include "solve/file_matrix.hpp"
#include "solve/files.hpp"
#include "solve/first_error.hpp"
#include "solve/outputs.hpp"
#include "solve/progress_line.hpp"
#include "solve/report.hpp"
#include "solve/solve.hpp"
#include "solve/system.hpp"
#include "solve/trace.hpp"

namespace ashlar::app {

void check_before_start(const SolveOptions& options) {
  check_options(options);
  check_files(options);
  check_headers(options);
}

int run_solve(const SolveOptions& options, Phases& phases) {
  const Execution exec;
  std::optional<SolveTrace> trace;
  if (options.trace) trace.emplace();
  const LinearSystem system = phases.run("load", [&] { return load_system(exec, options); });
  phases.run("check", [&] {
    if (!options.matrix || options.skip_symmetry_check) return;
    if (system.in_file) return require_symmetric_products(exec, *system.in_file, *options.matrix);
    system.visit(exec,
                 [&](const auto& where, const auto& matrix) { require_symmetric(where, matrix, *options.matrix); });
  });
  const double bandwidth = phases.run("probe", [&] { return measure_read_bandwidth(exec); });

  const Solution solution = [&] {
    ProgressLine progress;
    return solve(
        exec, system, options, phases, [&](int iterations, double residual) { progress.show(iterations, residual); },
        trace ? &*trace : nullptr);
  }();

  Outcome outcome{options, system, solution, phases, this_device(), std::nullopt, bandwidth};
  if (system.ones_is_solution) outcome.error = error_against_ones(exec, solution.x);
  // The report first: a disk that the rest fills up does not cost it.
  FirstError errors;
  if (options.report) errors.keep_from([&] { write_text_file(*options.report, report_json(outcome)); });
  if (options.history) print_history(solution.report);
  print_summary(outcome);
  if (trace && is_gpu_v<Execution> && !trace->device_times()) {
    std::cout << "trace      of launches, not of the kernels themselves: a tool has told Kokkos not to fence\n";
  }
  if (trace && trace->num_missed() > 0) {
    std::cout << "trace      of the first " << counted(SolveTrace::max_spans) << " copies and products, not of "
              << counted(trace->num_missed()) << " more\n";
  }
  std::cout.flush();

  bool x_is_finite = true;
  phases.run("write",
             [&] { errors.keep_from([&] { x_is_finite = write_outputs(exec, options, system, solution, errors); }); });
  if (!x_is_finite) std::cout << "           x holds NaN or infinity: neither --solution nor --vtk is written\n";
  if (solution.tuning) errors.keep_from([&] { solution.tuning->save(*options.tune); });
  if (trace) errors.keep_from([&] { trace->write(*options.trace); });
  errors.rethrow();
  return solution.report.status == SolveStatus::converged ? 0 : 2;
}

}  // namespace ashlar::app
