#include "solve/run.hpp"

#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <ashlar/device/bandwidth.hpp>
#include <ashlar/host/text_file.hpp>
#include <ashlar/krylov/report.hpp>
#include <cstdint>
#include <iostream>
#include <optional>
#include <ostream>

#include "memory_left.hpp"
#include "number_text.hpp"
#include "output_file.hpp"
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

namespace {

void check_symmetry(const Execution& exec, const LinearSystem& system, const SourceOptions& source) {
  if (!source.matrix || source.skip_symmetry_check) return;
  if (system.in_file) return require_symmetric_products(exec, *system.in_file, *source.matrix);
  system.visit(exec, [&](const auto& where, const auto& matrix) { require_symmetric(where, matrix, *source.matrix); });
}

/// The rate at which the device reads its memory, where it is to be measured.
std::optional<double> probe(const Execution& exec, const OutputOptions& options) {
  if (options.no_probe) return std::nullopt;
  // Of a host so much that it is written and read in a few tenths of a second, whatever size its last cache is said to
  // have.
  constexpr std::int64_t most_of_host = std::int64_t(256) << 20;
  const auto quarter = static_cast<std::int64_t>(bytes_left<Space>() / 4);
  const std::int64_t bytes = std::min(bandwidth_probe_bytes<Execution>(), quarter);
  return measure_read_bandwidth(exec, is_gpu_v<Execution> ? bytes : std::min(bytes, most_of_host));
}

void print_trace_notes(std::ostream& out, const SolveTrace& trace) {
  if (is_gpu_v<Execution> && !trace.device_times()) {
    out << "trace      of launches, not of the kernels themselves: a tool has told Kokkos not to fence\n";
  }
  if (trace.num_missed() > 0) {
    out << "trace      of the first " << counted(SolveTrace::max_spans) << " copies and products, not of "
        << counted(trace.num_missed()) << " more\n";
  }
}

/// All that is told and written of a solve.
void tell(const Execution& exec, const Outcome& outcome, Phases& phases, const SolveTrace* trace) {
  const auto& [source, method, placement, outputs] = outcome.options;
  std::ostream& out = uses_standard_output(outputs) ? std::cerr : std::cout;
  // The report first: a disk that the rest fills up does not cost it.
  FirstError errors;
  const auto write = [&](const std::optional<std::string>& path, const auto& work) {
    if (path) errors.keep_from([&] { OutputFile(*path).write(work); });
  };
  write(outputs.report, [&](const std::string& name) { write_text_file(name, report_json(outcome)); });
  if (outputs.history) print_history(out, outcome.solution.report);
  print_summary(out, outcome);
  if (trace != nullptr) print_trace_notes(out, *trace);
  out.flush();

  phases.run("write", [&] {
    errors.keep_from([&] {
      if (!write_outputs(exec, outputs, outcome.system, outcome.solution, errors)) {
        out << "           x holds NaN or infinity: neither --solution nor --vtk is written\n";
      }
    });
  });
  if (outcome.solution.tuning) errors.keep_from([&] { outcome.solution.tuning->save(*method.tune); });
  if (trace != nullptr) write(outputs.trace, [&](const std::string& name) { trace->write(name); });
  errors.rethrow();
}

}  // namespace

void check_before_start(const SolveOptions& options) {
  check_options(options);
  check_files(options);
  check_headers(options);
}

int run_solve(const SolveOptions& options, Phases& phases) {
  const Execution exec;
  std::optional<SolveTrace> trace;
  if (options.outputs.trace) trace.emplace();
  SolveTrace* const recorded = trace ? &*trace : nullptr;

  const LinearSystem system = phases.run("load", [&] { return make_system(exec, options); });
  phases.run("check", [&] { check_symmetry(exec, system, options.source); });
  const std::optional<double> bandwidth = phases.run("probe", [&] { return probe(exec, options.outputs); });
  const Solution solution = [&] {
    ProgressLine progress;
    return solve(
        exec, system, options, phases, [&](int iterations, double residual) { progress.show(iterations, residual); },
        recorded);
  }();

  Outcome outcome{options, system, solution, phases, this_device(), std::nullopt, bandwidth};
  if (system.ones_is_solution) outcome.error = error_against_ones(exec, solution.x);
  tell(exec, outcome, phases, recorded);
  return solution.report.status == SolveStatus::converged ? 0 : 2;
}

}  // namespace ashlar::app
