// perf_halo: the halo's exchange over MPI ranks, by the length of messages and the number of neighbours, in each mode,
// beside raw messages; and which part of it interior work hides. With --in-kernel: what kernels take for it that
// iterate as one. Run it as `mpirun -n 2 perf_halo ...`.
//
// What is exchanged is verified before it is timed.
#include <CLI/CLI.hpp>
#include <Kokkos_Core.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/comm/mpi/communicator.hpp>
#include <ashlar/device/probes/bandwidth.hpp>
#include <ashlar/host/output_file.hpp>
#include <cstdio>
#include <halo/measure.hpp>
#include <halo/options.hpp>
#include <iostream>
#include <nlohmann/json.hpp>
#include <support/context.hpp>
#include <support/parse_options.hpp>
#include <support/streams.hpp>

namespace {

using namespace ashlar;

/// Returns whether all was right.
bool run(const perf::HaloPerfOptions& options, const Communicator& comm) {
  const perf::Exec exec;
  const bool speaks = comm.rank() == 0;
  comm.together([&] {
    if (speaks && !options.json.empty()) require_writable(options.json);
    if (comm.is_alone()) {
      throw ArgumentError("perf_halo: one rank alone", "it has no neighbours", "run it as mpirun -n 2 perf_halo");
    }
  });
  // All at once, as they share the host's memory.
  comm.barrier();
  const double read = comm.sum(measure_read_bandwidth(exec));
  if (speaks) std::printf("%s\nread bandwidth together %.1f GB/s\n", comm.explain().c_str(), read);
  perf::HaloMeasurement measurement(exec, comm, options);
  nlohmann::json too_many = nlohmann::json::array();
  const auto write = [&] {
    if (!speaks || options.json.empty()) return;
    nlohmann::json left_out = measurement.left_out();
    left_out.insert(left_out.end(), too_many.begin(), too_many.end());
    perf::write_results(options.json, options.commit, read, measurement.results(), left_out);
  };
  if (options.in_kernel) {
    measurement.measure_in_kernel();
    write();
    return measurement.all_right();
  }
  for (const int neighbours : options.neighbours) {
    if (neighbours >= comm.size()) {
      const std::string why =
          comm.is_alone() ? std::string("there is one rank") : text("there are ", comm.size(), " ranks");
      if (speaks) std::printf("%d neighbours left out: %s\n", neighbours, why.c_str());
      too_many.push_back({{"neighbours", neighbours}, {"failure", why}});
      continue;
    }
    for (const std::int64_t bytes : options.bytes) {
      measurement.measure(neighbours, bytes);
      write();
    }
  }
  write();
  return measurement.all_right();
}

}  // namespace

int main(int argc, char** argv) {
  perf::HaloPerfOptions options;
  CLI::App app("Exchanges of a halo over MPI ranks");
  const auto list = [&](const char* name, auto& values, const char* help) {
    return app.add_option(name, values, help)->delimiter(',')->capture_default_str();
  };
  list("--bytes", options.bytes, "of each message")->check(CLI::Range(std::int64_t(1), std::int64_t(1) << 30));
  list("--neighbours", options.neighbours, "of each rank, fewer than there are ranks")->check(CLI::Range(1, 4096));
  list("--modes", options.modes,
       "who sends and waits: blocking, stream, kernel; packets: kernels by packets; auto: as measured")
      ->check(CLI::IsMember({"blocking", "stream", "kernel", "packets", "auto"}));
  list("--work", options.work, "beside it, as multiples of the time of an exchange")->check(CLI::PositiveNumber);
  app.add_flag(
      "--in-kernel", options.in_kernel,
      "instead: sums and halos of the kernels that iterate as one, of each message the length, to one neighbour");
  app.add_option("--samples", options.samples, "of which each time is the median")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--json", options.json, "write the results here");
  app.add_option("--commit", options.commit, "recorded in the context");

  bool all_right = false;
  try {
    const MpiSession mpi;
    const Communicator comm = mpi.world();
    if (const auto code = perf::parse_options(app, argc, argv, comm)) return *code;
    try {
      const Kokkos::ScopeGuard kokkos(argc, argv);
      all_right = run(options, perf::with_streams(comm));
    } catch (const std::exception& error) {
      comm.abort(error.what());
    }
  } catch (const std::exception& error) {
    std::cerr << "perf_halo: " << error.what() << '\n';
    return 1;
  }
  return all_right ? 0 : 1;
}
