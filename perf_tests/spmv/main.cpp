// perf_spmv: products with the matrices of several suites, ours and those of the libraries found beside.
//
// Every product is checked, entry by entry against plain loops, before it is timed: a wrong one has no time, and the
// exit code is 1. A product of another library that fails is named and left out. The rate counts unique bytes: values,
// block columns, row pointers, x and y once; of A^T its index besides. The products of a matrix are timed in turns. The
// limit is the read bandwidth measured in the same run; on a CPU in turns with the products.
#include <CLI/CLI.hpp>
#include <Kokkos_Core.hpp>
#include <ashlar/device/probes/bandwidth.hpp>
#include <ashlar/host/output_file.hpp>
#include <iostream>
#include <nlohmann/json.hpp>
#include <spmv/suites.hpp>
#include <support/context.hpp>

int main(int argc, char** argv) {
  using namespace ashlar;
  perf::Options options;
  CLI::App app("Products of a BCSR matrix and a vector, beside those of other libraries");
  const auto list = [&](const char* name, auto& values, const char* help) {
    return app.add_option(name, values, help)->delimiter(',')->capture_default_str();
  };
  list("--suites", options.suites, "which matrices")
      ->check(CLI::IsMember({"grid", "small", "irregular", "paper", "multivector"}));
  list("--block-sizes", options.block_sizes, "block sizes, where the suite leaves a choice");
  list("--kernels", options.kernels, "our kernels, by name; tuned: what tune() chooses");
  list("--layouts", options.layouts, "of our blocks")->check(CLI::IsMember({"column_major", "row_major"}));
  list("--modes", options.modes, "of our products")
      ->check(CLI::IsMember({"no_transpose", "transpose", "conjugate", "conjugate_transpose"}));
  list("--types", options.types, "of our values; mixed, bfloat16: float, bfloat16 with vectors of double")
      ->check(CLI::IsMember({"double", "float", "mixed", "bfloat16"}));
  list("--widths", options.widths, "lanes a block row; 0: the plan's choice");
  list("--num-vectors", options.num_vectors, "columns of x and y, of the suite multivector");
  list("--libraries", options.libraries, "whose products, as far as they were found")
      ->check(CLI::IsMember({"ashlar", "cusparse", "rocsparse", "kokkos_kernels", "mkl", "eigen"}));
  app.add_option("--bytes", options.bytes, "size of each matrix of grid")->capture_default_str();
  app.add_option("--samples", options.samples, "of which each time is the median")->capture_default_str();
  app.add_option("--matrices", options.matrices, "folder of Matrix Market files for the suite paper");
  app.add_option("--json", options.json, "write the results here");
  app.add_option("--tuning", options.tuning, "write what the kernel 'tuned' chose here, as a tuning table");
  app.add_option("--commit", options.commit, "recorded in the context");
  CLI11_PARSE(app, argc, argv);

  const Kokkos::ScopeGuard kokkos(argc, argv);
  try {
    if (!options.json.empty()) require_writable(options.json);
    if (!options.tuning.empty()) require_writable(options.tuning);
    const perf::Exec exec;
    const double limit = measure_read_bandwidth(exec);
    std::printf("read bandwidth %.1f GB/s\n", limit);
    nlohmann::json results = nlohmann::json::array();
    perf::Measurement measurement(exec, limit, options.samples, results);
    for (const std::string& suite : options.suites) {
      if (suite == "grid") perf::run_grid(exec, options, measurement);
      if (suite == "small") perf::run_small(exec, options, measurement);
      if (suite == "irregular") perf::run_irregular(exec, options, measurement);
      if (suite == "multivector") perf::run_multivector(exec, options, measurement);
      if (suite == "paper") perf::run_paper(exec, options, measurement);
      // Each time: what was measured is there, whatever ends this.
      if (!options.json.empty()) {
        perf::write_results(options.json, options.commit, limit, results, measurement.left_out());
      }
    }
    if (!options.tuning.empty()) measurement.tuning().save(options.tuning);
    return measurement.all_right() ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << "perf_spmv: " << error.what() << '\n';
    return 1;
  }
}
