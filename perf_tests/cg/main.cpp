// perf_cg: an iteration of conjugate gradients, GMRES(30) and BiCGStab on one device, in each of our forms, beside
// those of other libraries.
//
// Every form is checked before it is timed: its solution by plain loops, its number of iterations, and that two solves
// give the same bits. A wrong one has no time, and the exit code is 1. The floor is the time of one pass over the
// matrix and nine over vectors (floor.hpp; more for the others) at the read bandwidth measured in the same run.
#include <CLI/CLI.hpp>
#include <Kokkos_Core.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/device/probes/bandwidth.hpp>
#include <ashlar/host/output_file.hpp>
#include <cg/beside.hpp>
#include <cg/forms.hpp>
#include <cg/options.hpp>
#include <cg/results.hpp>
#include <cg/system.hpp>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>
#include <support/context.hpp>

int main(int argc, char** argv) {
  using namespace ashlar;
  perf::CgPerfOptions options;
  CLI::App app("Iterations of conjugate gradients, beside those of other libraries");
  const auto list = [&](const char* name, auto& values, const char* help) {
    return app.add_option(name, values, help)->delimiter(',')->capture_default_str();
  };
  list("--cases", options.cases,
       "grid27:N, grid27xB:N, stencil11:N or cantilever:N: the matrix, with blocks of B, and points along each side");
  list("--forms", options.forms,
       "of our CG: how iterations reach the device, or a variant with fewer sums; or another solver")
      ->check(CLI::IsMember(
          {"one_by_one", "graph", "persistent", "automatic", "single_reduction", "pipelined", "gmres", "bicgstab"}));
  list("--libraries", options.libraries, "whose CG, as far as they were found")
      ->check(CLI::IsMember({"ashlar", "cusparse"}));
  app.add_option("--samples", options.samples, "of which each time is the median")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--iterations", options.iterations,
                 "N1,N2: of the two solves whose difference is timed (default: by the size of the system)")
      ->delimiter(',')
      ->expected(2)
      ->check(CLI::PositiveNumber);
  app.add_option("--json", options.json, "write the results here");
  app.add_option("--commit", options.commit, "recorded in the context");
  CLI11_PARSE(app, argc, argv);

  const Kokkos::ScopeGuard kokkos(argc, argv);
  try {
    if (!options.json.empty()) require_writable(options.json);
    if (!options.iterations.empty() && options.iterations[0] >= options.iterations[1]) {
      throw ArgumentError("--iterations", "the first number is not the smaller one", "write for example 40,140");
    }
    const perf::Exec exec;
    const double read = measure_read_bandwidth(exec);
    std::printf("read bandwidth %.1f GB/s\n", read);
    nlohmann::json rows = nlohmann::json::array();
    perf::CgResults results(read, rows);
    bool all_ran = true;
    for (const std::string& name : options.cases) {
      try {
        const perf::CgSystem system = perf::make_system(exec, name);
        if (perf::is_among(options.libraries, "ashlar")) perf::measure_forms(exec, options, system, results);
        perf::measure_peers(exec, options, system, results);
      } catch (const std::exception& error) {
        // What other cases take is worth writing down.
        std::cerr << "perf_cg: " << name << ": " << error.what() << '\n';
        all_ran = false;
      }
      if (!options.json.empty()) perf::write_results(options.json, options.commit, read, rows);
    }
    return all_ran && results.all_right() ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << "perf_cg: " << error.what() << '\n';
    return 1;
  }
}
