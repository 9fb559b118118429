// perf_streaming: products with matrices in the host's memory that go through the device in subdivisions, with copies
// beside the products and without: the experiment of Fagerlund et al. 2014.
//
// Cantilevers with 1, 3 and 6 unknowns a node; each subdivision is multiplied by a number of vectors before the next
// takes its place. Every way is checked against plain loops before it is timed. Beside each are the times of its copies
// alone and of its products alone: the share of the shorter of the two that hiding saves is hidden_share.
#include <CLI/CLI.hpp>
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/device/probes/bandwidth.hpp>
#include <ashlar/host/output_file.hpp>
#include <ashlar/host/text_file.hpp>
#include <ashlar/trace/recorder.hpp>
#include <cstdio>
#include <exception>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <streaming/block_solve.hpp>
#include <streaming/from_file.hpp>
#include <streaming/less.hpp>
#include <streaming/limited.hpp>
#include <streaming/paper.hpp>
#include <support/context.hpp>
#include <utility>
#include <vector>

namespace {

void write_trace(const std::string& path, const std::vector<ashlar::trace::Process>& processes) {
  std::ostringstream out;
  ashlar::trace::write_chrome_json(out, processes);
  ashlar::write_text_file(path, std::move(out).str());
}

}  // namespace

int main(int argc, char** argv) {
  using namespace ashlar;
  perf::StreamingPerfOptions options;
  CLI::App app("Products with a matrix that is streamed to the device");
  const auto list = [&](const char* name, auto& values, const char* help) {
    return app.add_option(name, values, help)->delimiter(',')->capture_default_str();
  };
  list("--cases", options.cases, "UNKNOWNSxNODES: unknowns of a node (1, 3, 6), and nodes along each side");
  list("--experiments", options.experiments,
       "paper: that of the paper; limit: products within a memory limit, planned, tuned and all around; block-cg: "
       "a solve for many right-hand sides, resident and within a memory limit; less: half of a symmetric matrix sent; "
       "file: from a file that is read for each product")
      ->check(CLI::IsMember({"paper", "limit", "block-cg", "less", "file"}));
  list("--limits", options.limits, "memory limits, of the bytes of the matrix")->check(CLI::PositiveNumber);
  list("--vectors", options.num_vectors, "of a product, or right-hand sides of a solve")->check(CLI::Range(1, 64));
  list("--subdivisions", options.subdivisions, "into how many the matrix is cut")->check(CLI::PositiveNumber);
  list("--products", options.products, "with each subdivision before the next takes its place")
      ->check(CLI::PositiveNumber);
  app.add_option("--buffers", options.buffers, "subdivisions on the device at a time")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--samples", options.samples, "of which each time is the median")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  const std::map<std::string, Taper> tapers{
      {"none", Taper::none}, {"front", Taper::front}, {"back", Taper::back}, {"both", Taper::both}};
  app.add_option("--taper", options.taper, "at which end subdivisions are smaller: none, front, back or both (default)")
      ->transform(CLI::CheckedTransformer(tapers));
  app.add_option("--folder", options.folder, "where --experiments file writes its file: on the disk to be measured")
      ->check(CLI::ExistingDirectory)
      ->capture_default_str();
  app.add_option("--readers", options.readers, "threads that read a file")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--copies", options.copies,
                 "of the matrix along the diagonal of that in the file, which may be larger than memory")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_flag("!--no-disk", options.from_disk, "read the file from the system's cache only");
  app.add_flag("!--no-serial", options.serial, "do not time plain loops on one thread of the host");
  app.add_option("--json", options.json, "write the results here");
  app.add_option("--trace", options.trace,
                 "write when copies and products took place, for ui.perfetto.dev: of one pass of each case of the "
                 "experiment paper, hidden and not, with the first numbers of subdivisions and products");
  app.add_option("--commit", options.commit, "recorded in the context");
  CLI11_PARSE(app, argc, argv);

  const Kokkos::ScopeGuard kokkos(argc, argv);
  const auto runs = [&](const char* experiment) {
    return std::find(options.experiments.begin(), options.experiments.end(), experiment) != options.experiments.end();
  };
  try {
    if (!options.json.empty()) require_writable(options.json);
    if (!options.trace.empty()) {
      require_writable(options.trace);
      if (!runs("paper")) {
        throw ArgumentError("--trace without the experiment paper", "it shows passes of that one",
                            "add paper to --experiments");
      }
    }
    const perf::Exec exec;
    const double read = measure_read_bandwidth(exec);
    std::printf("read bandwidth %.1f GB/s\n", read);
    nlohmann::json results = nlohmann::json::array();
    std::vector<trace::Process> passes;
    bool all_right = true;
    const auto write = [&] {
      if (!options.json.empty()) perf::write_results(options.json, options.commit, read, results);
    };
    // Others than the paper's, for a memory limit and a number of vectors each.
    const auto run_within_limits = [&](const auto& run, const perf::StreamingCase& matrix) {
      for (const double limit : options.limits) {
        for (const int num_vectors : options.num_vectors) {
          all_right = run(exec, matrix, limit, num_vectors, options, results) && all_right;
        }
      }
    };
    for (const std::string& name : options.cases) {
      if (runs("paper")) {
        perf::PaperExperiment experiment(exec, name, options, read, results);
        experiment.run();
        if (!options.trace.empty()) passes.push_back(experiment.timeline());
        all_right = all_right && experiment.all_right();
        write();
      }
      if (!runs("limit") && !runs("block-cg") && !runs("less") && !runs("file")) continue;
      const perf::StreamingCase matrix = perf::make_case(exec, name);
      if (runs("less")) all_right = perf::run_sending_less(exec, matrix, options, results) && all_right;
      if (runs("file")) all_right = perf::run_from_file(exec, matrix, options, results) && all_right;
      if (runs("limit")) run_within_limits(perf::run_limited, matrix);
      if (runs("block-cg")) run_within_limits(perf::run_block_solve, matrix);
      write();
    }
    if (!options.trace.empty()) write_trace(options.trace, passes);
    return all_right ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << "perf_streaming: " << error.what() << '\n';
    return 1;
  }
}
