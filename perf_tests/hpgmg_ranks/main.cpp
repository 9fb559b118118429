// perf_hpgmg_ranks: an F-cycle of the benchmark HPGMG-FV over MPI ranks, for each mode of exchange and size of boxes:
// Figs. 10 to 12 of the paper of GPUDirect Async. Run it as `mpirun -n 2 perf_hpgmg_ranks ...`.
//
// Modes are timed in turns. A mode is checked before: its norm after an F-cycle has the same bits as that of the first
// one. `device_seconds` are those of a solve without what the host spends on levels that run there, and gains are
// counted from them, in percent of those of the blocking mode.
//
// With --hidden no cycle is timed, but a residual of the finest level over ranks, in the blocking mode: its exchange
// alone, its interior alone, and both simultaneously; `hidden` is the share of the shorter one that this saves.
#include <CLI/CLI.hpp>
#include <Kokkos_Core.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/comm/mpi/communicator.hpp>
#include <ashlar/device/probes/bandwidth.hpp>
#include <ashlar/host/output_file.hpp>
#include <cstdio>
#include <exception>
#include <hpgmg_ranks/hidden.hpp>
#include <hpgmg_ranks/measure.hpp>
#include <hpgmg_ranks/options.hpp>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <support/context.hpp>
#include <support/parse_options.hpp>
#include <support/streams.hpp>

namespace {

using namespace ashlar;

const std::map<std::string, multigrid::Discretisation> operators{{"fv2", multigrid::Discretisation::fv2},
                                                                 {"fv4", multigrid::Discretisation::fv4}};
const std::map<std::string, ExchangeMode> exchanges{{"auto", ExchangeMode::automatic},
                                                    {"blocking", ExchangeMode::blocking},
                                                    {"stream", ExchangeMode::stream},
                                                    {"kernel", ExchangeMode::kernel}};

std::vector<int> box_dims_of(const perf::HpgmgRanksOptions& options) {
  std::vector<int> box_dims = options.box_dims;
  if (box_dims.empty()) {
    for (const int log2_box : options.log2_boxes) box_dims.push_back(1 << log2_box);
  }
  return box_dims;
}

bool run(const perf::HpgmgRanksOptions& options, const Communicator& comm) {
  const perf::Exec exec;
  const bool speaks = comm.rank() == 0;
  comm.together([&] {
    if (speaks && !options.json.empty()) require_writable(options.json);
  });
  // Of a host all ranks share the memory.
  const double read = comm.sum(measure_read_bandwidth(exec));
  if (speaks) {
    std::printf("%s, read bandwidth together %.1f GB/s\n", count_text(comm.size(), "rank").c_str(), read);
  }
  std::vector<ExchangeMode> modes;
  for (const std::string& name : options.exchanges) modes.push_back(exchanges.at(name));
  nlohmann::json rows = nlohmann::json::array(), left_out = nlohmann::json::array();
  bool all_right = true;
  for (const std::string& name : options.operators) {
    for (const int box_dim : box_dims_of(options)) {
      const auto written = [&](bool is_right) {
        all_right = all_right && is_right;
        if (!speaks || options.json.empty()) return;
        perf::write_results(options.json, options.commit, read, rows, left_out);
      };
      if (options.hidden) {
        const perf::HiddenCase one{operators.at(name), box_dim, options.boxes_per_rank};
        written(perf::measure_hidden(exec, comm, one, options.samples, read, rows));
        continue;
      }
      for (const int threshold : options.host_thresholds) {
        const perf::HpgmgRanksCase one{operators.at(name),         box_dim,
                                       options.boxes_per_rank,     threshold,
                                       options.min_cells_per_rank, options.packet_bytes};
        written(perf::measure_modes(exec, comm, one, modes, options.samples, read, rows, left_out));
      }
    }
  }
  return all_right;
}

}  // namespace

int main(int argc, char** argv) {
  perf::HpgmgRanksOptions options;
  CLI::App app("F-cycles of HPGMG-FV over MPI ranks by mode of exchange");
  const auto list = [&](const char* name, auto& values, const char* help) {
    return app.add_option(name, values, help)->delimiter(',')->capture_default_str();
  };
  list("--log2-boxes", options.log2_boxes, "boxes have 2^N cells in each direction")->check(CLI::Range(2, 10));
  list("--box-dims", options.box_dims, "boxes have N cells in each direction, instead")->check(CLI::Range(4, 1024));
  app.add_option("--boxes-per-rank", options.boxes_per_rank, "at most: as many as make a cube")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  list("--operators", options.operators, "of order 2 and 4")->check(CLI::IsMember(operators));
  list("--exchange", options.exchanges, "blocking, stream, kernel, or auto: on each level what was fastest")
      ->check(CLI::IsMember(exchanges));
  app.add_flag("--hidden", options.hidden,
               "measure which share of an exchange in the blocking mode a residual hides, instead of cycles");
  list("--host-thresholds", options.host_thresholds, "levels of fewer cells a rank run on the host; 0: none")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--min-cells-per-rank", options.min_cells_per_rank,
                 "levels but the finest are on fewer ranks, so that each has N cells or more, or rank 0 all; 0: on all")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("--packet-bytes", options.packet_bytes, "of the longest message that goes as packets, in mode kernel")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
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
    std::cerr << "perf_hpgmg_ranks: " << error.what() << '\n';
    return 1;
  }
  return all_right ? 0 : 1;
}
