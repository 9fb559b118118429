// perf_hpgmg: F-cycles of the benchmark HPGMG-FV on one rank, the same cells cut into few large boxes and into many
// small ones, for each operator.
//
// Each cut is checked before it is timed: its norm after an F-cycle is that of the other cuts, and V-cycles after it
// converge. A wrong one has no time, and the exit code is 1. The floor is the time of the bytes that a cycle moves at
// least, at the read bandwidth measured in the same run. Seconds by phase and level are those of one solve more, which
// waits around each phase.
#include <CLI/CLI.hpp>
#include <Kokkos_Core.hpp>
#include <ashlar/device/probes/bandwidth.hpp>
#include <ashlar/host/output_file.hpp>
#include <cstdio>
#include <exception>
#include <hpgmg/measure.hpp>
#include <hpgmg/options.hpp>
#include <hpgmg/sweep_forms.hpp>
#include <hpgmg/sweep_shapes.hpp>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <support/context.hpp>

int main(int argc, char** argv) {
  using namespace ashlar;
  using multigrid::Discretisation, multigrid::Smoother, multigrid::SweepForm;
  const std::map<std::string, Discretisation> operators{{"fv2", Discretisation::fv2}, {"fv4", Discretisation::fv4}};
  std::map<std::string, Smoother> smoothers;
  for (const Smoother smoother : multigrid::all_smoothers) smoothers.emplace(to_string(smoother), smoother);
  std::map<std::string, SweepForm> forms;
  for (const auto form : {SweepForm::automatic, SweepForm::cells, SweepForm::planes}) {
    forms.emplace(to_string(form), form);
  }
  perf::HpgmgPerfOptions options;
  CLI::App app("F-cycles of HPGMG-FV by the number of boxes");
  const auto list = [&](const char* name, auto& values, const char* help) {
    return app.add_option(name, values, help)->delimiter(',')->capture_default_str();
  };
  list("--cells", options.cells, "in each direction")->check(CLI::Range(4, 4096));
  list("--boxes", options.boxes, "into how many the cells are cut: cubes of whole numbers")
      ->check(CLI::Range(1, 2097152));
  list("--operators", options.operators, "of order 2 and 4")->check(CLI::IsMember(operators));
  list("--smoothers", options.smoothers, "gsrb, chebyshev or jacobi")->check(CLI::IsMember(smoothers));
  list("--host-thresholds", options.host_thresholds, "levels of fewer cells run on the host; 0: none")
      ->check(CLI::NonNegativeNumber);
  list("--switches", options.switches, "measured in turns: default, keep_boxes, plain, graphs, one_kernel or both")
      ->check(CLI::IsMember({"default", "keep_boxes", "plain", "graphs", "one_kernel", "both"}));
  std::string sweeps = "automatic";
  app.add_option("--sweeps", sweeps, "with fv4: automatic, cells or planes")->check(CLI::IsMember(forms));
  app.add_flag(
      "--forms", options.forms_alone,
      "instead of cycles what a level does by itself, in each form of sweeps: two half sweeps, a residual, ghost "
      "cells");
  app.add_flag("--shapes", options.shapes,
               "with --forms: their kernels alone as well, for each shape that a team's work may have");
  app.add_option("--samples", options.samples, "of which each time is the median")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--json", options.json, "write the results here");
  app.add_option("--commit", options.commit, "recorded in the context");
  CLI11_PARSE(app, argc, argv);
  options.sweeps = forms.at(sweeps);

  const Kokkos::ScopeGuard kokkos(argc, argv);
  try {
    if (!options.json.empty()) require_writable(options.json);
    const perf::Exec exec;
    const double read = measure_read_bandwidth(exec);
    std::printf("read bandwidth %.1f GB/s\n", read);
    nlohmann::json rows = nlohmann::json::array();
    bool all_right = true;
    for (const int cells : options.cells) {
      if (options.forms_alone) {
        all_right = perf::measure_sweep_forms(exec, cells, options, read, rows) && all_right;
        if (options.shapes) perf::measure_sweep_shapes(exec, cells, options);
        if (!options.json.empty()) perf::write_results(options.json, options.commit, read, rows);
        continue;
      }
      for (const std::string& name : options.operators) {
        for (const std::string& smoother : options.smoothers) {
          try {
            all_right =
                perf::measure_cuts(exec, cells, operators.at(name), smoothers.at(smoother), options, read, rows) &&
                all_right;
          } catch (const std::exception& error) {
            // What others take is worth writing down.
            std::cerr << "perf_hpgmg: " << name << ", " << cells << "^3 cells: " << error.what() << '\n';
            all_right = false;
          }
          if (!options.json.empty()) perf::write_results(options.json, options.commit, read, rows);
        }
      }
    }
    return all_right ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << "perf_hpgmg: " << error.what() << '\n';
    return 1;
  }
}
