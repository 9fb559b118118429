#include <array>
#include <cstdio>
#include <iostream>
#include <sstream>

#include "number_text.hpp"
#include "solve/report.hpp"

namespace ashlar::app {

namespace {

std::string method_of(const Outcome& outcome) {
  const SolveOptions& options = outcome.options;
  if (options.variant == VariantKind::single_reduction) return "single-reduction CG";
  if (options.variant == VariantKind::pipelined) return "pipelined CG";
  if (options.solver == SolverKind::cg) return "CG";
  return "block CG for " + std::to_string(options.num_rhs) + " right-hand sides";
}

}  // namespace

void print_history(const SolveReport& report) {
  std::cout << "# iteration  relative residual\n";
  for (std::size_t k = 0; k < report.residual_history.size(); ++k) {
    std::array<char, 64> row{};
    std::snprintf(row.data(), row.size(), "%11zu  %.6e\n", k, report.residual_history[k]);
    std::cout << row.data();
  }
}

void print_summary(const Outcome& outcome) {
  const SolveReport& report = outcome.solution.report;
  const LinearSystem& system = outcome.system;
  const int b = system.block_size();
  std::cout << "system     " << outcome.system.description << ": " << counted(system.num_rows()) << " unknowns, "
            << counted(system.num_blocks()) << " blocks of " << b << " x " << b << " (fill "
            << short_number(outcome.system.block_fill) << ")\n"
            << "device     " << outcome.device.backend << ", " << outcome.device.name << ", "
            << outcome.device.concurrency << (outcome.device.concurrency == 1 ? " thread" : " threads at once")
            << "; reads " << short_number(outcome.read_bandwidth_gb_s) << " GB/s\n"
            << "method     " << method_of(outcome) << ", preconditioner " << to_string(outcome.options.preconditioner)
            << ", kernel " << outcome.solution.kernel << '\n';
  if (!report.launch.empty()) std::cout << "launched   " << report.launch << '\n';
  if (system.is_streamed()) {
    const char* const place = system.in_file ? "in its file: " : "in the host's memory: ";
    std::cout << "matrix     " << place << outcome.solution.plan << '\n';
  }
  if (report.status == SolveStatus::converged) {
    std::cout << "result     converged after " << report.iterations << " iterations: relative residual "
              << short_number(report.relative_residual) << " (asked for " << short_number(outcome.options.rtol)
              << ")\n";
  } else {
    std::cout << "result     NOT converged after " << report.iterations << " iterations, relative residual "
              << short_number(report.relative_residual) << " (asked for " << short_number(outcome.options.rtol)
              << "): " << describe(report.status) << '\n';
  }
  if (outcome.error) {
    std::cout << "error      " << short_number(outcome.error->max_norm) << " at most, "
              << short_number(outcome.error->relative_2_norm) << " in the relative 2-norm (the solution is all ones)\n";
  }
  std::cout << "seconds    ";
  for (const auto& [phase, seconds] : outcome.phases.seconds())
    std::cout << phase << ' ' << short_number(seconds) << ", ";
  std::cout << "total " << short_number(outcome.phases.total()) << '\n'
            << "bandwidth  " << short_number(outcome.bandwidth_gb_s()) << " GB/s of unique data in the solve, "
            << short_number(outcome.bandwidth_fraction()) << " of what the device reads at\n";
}

}  // namespace ashlar::app
