// perf_cg_ranks: an iteration of conjugate gradients over MPI ranks, for each decomposition and form of the halo:
// Tables 2 and 3 of the multi-GPU paper. Run it as `mpirun -n 4 perf_cg_ranks ...`; with one rank it measures what
// efficiencies are counted from.
//
// Every form is checked before it is timed: its product against plain loops, and that its solve converges. Beside them
// stand iterations that are written without the library, by NCCL and in one kernel, where there are such.
#include <CLI/CLI.hpp>
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/comm/mpi/communicator.hpp>
#include <ashlar/device/probes/bandwidth.hpp>
#include <ashlar/host/output_file.hpp>
#include <ashlar/host/text_file.hpp>
#include <ashlar/trace/parallel_efficiency.hpp>
#include <cg_ranks/beside.hpp>
#include <cg_ranks/measure.hpp>
#include <cg_ranks/options.hpp>
#include <cg_ranks/rates.hpp>
#include <cg_ranks/shared.hpp>
#include <cg_ranks/system.hpp>
#include <cg_ranks/timelines.hpp>
#include <cstdio>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <support/context.hpp>
#include <support/parse_options.hpp>
#include <support/streams.hpp>

namespace {

using namespace ashlar;

const std::map<std::string, Decomposition> decompositions{{"1d", Decomposition::one_d}, {"2d", Decomposition::two_d}};
const std::map<std::string, HaloForm> halos{{"automatic", HaloForm::automatic},
                                            {"packed", HaloForm::packed},
                                            {"contiguous", HaloForm::contiguous},
                                            {"whole", HaloForm::whole}};
const std::map<std::string, ExchangeMode> exchanges{{"auto", ExchangeMode::automatic},
                                                    {"blocking", ExchangeMode::blocking},
                                                    {"stream", ExchangeMode::stream},
                                                    {"kernel", ExchangeMode::kernel}};
const std::map<std::string, CgXUpdate> x_updates{{"automatic", CgXUpdate::automatic},
                                                 {"with_direction", CgXUpdate::with_direction},
                                                 {"under_reduction", CgXUpdate::under_reduction},
                                                 {"before_reduction", CgXUpdate::before_reduction}};

const std::map<std::string, CgLaunch> launches{{"automatic", CgLaunch::automatic},
                                               {"persistent", CgLaunch::persistent},
                                               {"graph", CgLaunch::graph},
                                               {"one_by_one", CgLaunch::one_by_one}};

/// Of a rank of `ranks`, on a device or not.
std::vector<perf::RanksForm> forms_of(const perf::RanksOptions& options, int ranks, bool on_device = true) {
  DistributedOptions distributed;
  if (options.memory_limit > 0 && on_device) distributed.streaming = {.device_memory_limit = options.memory_limit};
  // Beside ranks on the host, whose share follows from it.
  if (options.ranks_on_host > 0) distributed.idle_clock = IdleClock::device;
  std::vector<perf::RanksForm> forms;
  if (ranks == 1) {  // has no halo, and nothing to overlap
    for (const auto& launch : options.launches) {
      forms.push_back({distributed, CgXUpdate::with_direction, launches.at(launch)});
    }
    return forms;
  }
  for (const auto& decomposition : options.decompositions) {
    for (const auto& halo : options.halos) {
      for (const auto& x_update : options.x_updates) {
        for (const auto& overlap : options.overlaps) {
          for (const auto& exchange : options.exchanges) {
            perf::RanksForm form{distributed};
            form.distributed.decomposition = decompositions.at(decomposition);
            form.distributed.halo.form = halos.at(halo);
            form.distributed.overlap = overlap == "on";
            form.distributed.exchange = exchanges.at(exchange);
            form.x_update = x_updates.at(x_update);
            for (const auto& launch : options.launches) {
              form.launch = launches.at(launch);
              forms.push_back(form);
            }
          }
        }
      }
    }
  }
  return forms;
}

/// Microseconds of an iteration by one rank on one device, or on all cores of the host, by case: of the fastest way.
std::map<std::string, double> read_whole(const std::string& path) {
  std::map<std::string, double> result;
  if (path.empty()) return result;
  const auto file = nlohmann::json::parse(read_text_file(path));
  for (const auto& row : file.at("results")) {
    // (Of a peer there may be none.)
    if (!row.value("us", nlohmann::json()).is_number()) continue;
    const auto us = row.at("us").get<double>();
    const auto [best, is_first] = result.try_emplace(row.at("case"), us);
    if (!is_first) best->second = std::min(best->second, us);
  }
  return result;
}

/// Null where there is none.
nlohmann::json limit_json(const perf::RanksOptions& options) {
  return options.memory_limit > 0 ? nlohmann::json(options.memory_limit) : nlohmann::json();
}

/// What is measured of an iteration in every form, and how it was made. How long a rank idles in a kernel that iterates
/// nobody knows.
nlohmann::json measured_fields(const perf::RanksTimes& times) {
  return {{"us", times.us},
          {"seconds", 1e-6 * times.us},
          {"busy_us", times.busy_us},
          {"idle_us", times.iterates_in_kernel ? nlohmann::json() : nlohmann::json(times.idle_us)},
          {"alone_us", times.alone_us},
          {"halo_bytes", times.halo_bytes},
          {"iterations", times.iterations},
          {"relative_residual", times.relative_residual},
          {"verified", true},
          {"exchange", times.exchange},
          {"launch", times.launch},
          {"iterates_in_kernel", times.iterates_in_kernel},
          {"explain", times.explain}};
}

/// Whether the efficiency has factors: not where one kernel of each rank iterates, in which nobody tells work from
/// waiting, nor where a rank's own work is so little of an iteration that its time is noise.
bool has_factors(const perf::RanksTimes& times) {
  const auto is_measured = [&](double us) { return us > 0.1 * times.us; };
  return !times.iterates_in_kernel && std::ranges::all_of(times.alone_us, is_measured) &&
         std::ranges::all_of(times.busy_us, is_measured);
}

/// A row of results, which rank 0 prints too.
template <class Exec>
nlohmann::json row_of(const perf::RanksOptions& options, const perf::RankSystem<Exec>& system,
                      const perf::RanksForm& form, const perf::RanksTimes& times, int ranks, double read_gb_s,
                      std::optional<double> whole_us) {
  nlohmann::json row = rates_json(system, ranks, times.us, read_gb_s);
  row.update(measured_fields(times));
  row.update({{"library", "ashlar"}, {"kernel", form.name()}, {"memory_limit_bytes", limit_json(options)}});
  std::printf("  %-40s %10.2f us, %7.2f Gflop/s, halo %9.3f MB, %d iterations", form.name().c_str(), times.us,
              1e-3 * flops_of_iteration(system) / times.us, 1e-6 * double(times.halo_bytes), times.iterations);
  if (whole_us) {
    // One worker alone: a device is what the whole was measured on; a share of a host's cores takes as many times as
    // long as all of them.
    const int shares = is_gpu_v<Exec> ? 1 : ranks;
    const double efficiency = shares * *whole_us / (ranks * times.us);
    row.update({{"whole_us", *whole_us}, {"efficiency", efficiency}});
    std::printf(", e %.3f", efficiency);
    if (has_factors(times)) {
      const trace::ParallelEfficiency e =
          trace::parallel_efficiency(shares * *whole_us, times.alone_us, times.busy_us, times.us);
      row.update({{"granularity", e.granularity}, {"tasks", e.tasks}, {"pipeline", e.pipeline}});
      std::printf(" = %.3f x %.3f x %.3f", e.granularity, e.tasks, e.pipeline);
    }
  }
  std::printf("\n");
  std::fflush(stdout);
  return row;
}

/// The same where other work on the machine hid the time.
template <class Exec>
nlohmann::json row_without_time(const perf::RankSystem<Exec>& system, const perf::RanksForm& form, int ranks,
                                double read_gb_s, const perf::RanksTimes& times) {
  nlohmann::json row = rates_json(system, ranks, std::nullopt, read_gb_s);
  row.update({{"library", "ashlar"},
              {"kernel", form.name()},
              {"iterations", times.iterations},
              {"relative_residual", times.relative_residual},
              {"verified", true},
              {"why_no_time", times.no_time->what()}});
  std::printf("  %-40s no time: %s\n", form.name().c_str(), times.no_time->what());
  std::fflush(stdout);
  return row;
}

void check(const perf::RanksOptions& options, const Communicator& comm) {
  const bool speaks = comm.rank() == 0;
  comm.together([&] {
    if (speaks && !options.json.empty()) require_writable(options.json);
    if (speaks && !options.trace.empty()) require_writable(options.trace);
    if (options.iterations[0] >= options.iterations[1]) {
      throw ArgumentError("--iterations", "the first number is not the smaller one", "write for example 20,60");
    }
  });
}

void write_trace(const perf::RanksOptions& options, const Communicator& comm, const perf::Timelines& timelines) {
  if (options.trace.empty()) return;
  const std::string trace = timelines.json();
  comm.together([&] {
    if (comm.rank() == 0) write_text_file(options.trace, trace);
  });
}

/// A row of results of ranks that are not alike, which rank 0 prints too. `is_chosen`: none of the others is faster.
nlohmann::json row_of(const perf::RanksOptions& options, const std::string& name, const perf::RanksForm& form,
                      const perf::SharedTimes& shared, const std::vector<std::string>& spaces, bool is_chosen) {
  const perf::RanksTimes& times = shared.times;
  const std::size_t ranks = shared.block_rows.size();
  nlohmann::json idle_share;
  for (std::size_t rank = 0; rank < ranks && !times.iterates_in_kernel; ++rank) {
    idle_share.push_back(times.idle_us[rank] / times.us);
  }
  std::printf("  %-14s %-28s %10.2f us, %d iterations", shared.partition.c_str(), form.name().c_str(), times.us,
              times.iterations);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    std::printf("; %s %s", spaces[rank].c_str(), count_text(shared.block_rows[rank], "block row").c_str());
    if (!idle_share.is_null()) std::printf(", idle %.1f %%", 100 * idle_share[rank].get<double>());
  }
  std::printf("%s\n", is_chosen ? "; chosen" : "");
  std::fflush(stdout);
  nlohmann::json row{{"case", name},
                     {"library", "ashlar"},
                     {"kernel", text(form.name(), ", ", shared.partition)},
                     {"partition", shared.partition},
                     {"spaces", std::vector<std::string>(spaces.begin(), spaces.begin() + std::ptrdiff_t(ranks))},
                     {"ranks", ranks},
                     {"block_rows", shared.block_rows},
                     {"blocks", times.blocks},
                     {"idle_share", idle_share},
                     {"chosen", is_chosen},
                     {"memory_limit_bytes", limit_json(options)}};
  row.update(measured_fields(times));
  return row;
}

/// How devices and the host share each case, on a rank that computes by Exec.
template <class Exec>
void run_shared(const perf::RanksOptions& options, const Communicator& comm, bool on_host) {
  const Exec exec;
  check(options, comm);
  comm.barrier();
  const double read = comm.sum(measure_read_bandwidth(exec));
  const std::vector<std::string> spaces = comm.all_gather(std::string(Exec::name()));
  nlohmann::json rows = nlohmann::json::array();
  perf::Timelines timelines(comm);
  for (const std::string& name : options.cases) {
    if (comm.rank() == 0) std::printf("%s\n", name.c_str());
    for (const perf::RanksForm& form : forms_of(options, comm.size(), !on_host)) {
      const auto all = perf::measure_shared(exec, comm, on_host, name, form, options.refinements, options.samples,
                                            options.iterations, options.trace.empty() ? nullptr : &timelines,
                                            options.trace_iterations);
      if (comm.rank() != 0) continue;
      // (Of those that take as long the first: the devices alone.)
      const auto fastest = std::min_element(all.begin(), all.end(),
                                            [](const auto& a, const auto& b) { return a.times.us < b.times.us; });
      for (auto shared = all.begin(); shared != all.end(); ++shared) {
        rows.push_back(row_of(options, name, form, *shared, spaces, shared == fastest));
      }
      if (!options.json.empty()) perf::write_results(options.json, options.commit, read, rows);
    }
  }
  write_trace(options, comm, timelines);
}

/// The last ranks of each host compute there.
void run_with_hosts(const perf::RanksOptions& options, const Communicator& comm) {
  const Communicator here = comm.split_by_host();
  comm.together([&] {
    if (options.ranks_on_host > 0 && options.ranks_on_host < here.size()) return;
    throw ArgumentError(text("--ranks-on-host ", options.ranks_on_host),
                        text("this host has ", count_text(here.size(), "rank")), "leave one at least for a device");
  });
  const bool on_host = here.rank() >= here.size() - options.ranks_on_host;
  on_host ? run_shared<perf::HostExec>(options, comm, on_host) : run_shared<perf::Exec>(options, comm, on_host);
}

void run(const perf::RanksOptions& options, const Communicator& comm) {
  const perf::Exec exec;
  const bool speaks = comm.rank() == 0;
  check(options, comm);
  const auto whole = comm.together([&] { return read_whole(options.whole); });
  // All at once, as they share the host's memory.
  comm.barrier();
  const double read = comm.sum(measure_read_bandwidth(exec));
  if (speaks) {
    std::printf("%s, read bandwidth together %.1f GB/s\n", count_text(comm.size(), "rank").c_str(), read);
  }
  nlohmann::json rows = nlohmann::json::array();
  perf::Timelines timelines(comm);
  for (const std::string& name : options.cases) {
    const perf::RankSystem<perf::Exec> system = perf::make_rank_system(exec, comm, name, options.memory_limit > 0);
    if (speaks) {
      std::printf("%s, b %d, %lld rows, %lld values\n", name.c_str(), system.block_size,
                  static_cast<long long>(system.num_rows), static_cast<long long>(system.num_values));
    }
    const auto of_whole = whole.find(name);
    std::optional<int> iterations;
    const auto forms = options.has_library("ashlar") ? forms_of(options, comm.size()) : std::vector<perf::RanksForm>();
    for (const perf::RanksForm& form : forms) {
      const perf::RanksTimes times = perf::measure(exec, comm, system, form, options.samples, options.iterations);
      iterations = times.iterations;
      if (!options.trace.empty()) timelines.add(exec, system, form, form.name(), options.trace_iterations);
      if (!speaks) continue;
      const auto whole_us = of_whole == whole.end() ? std::nullopt : std::optional(of_whole->second);
      rows.push_back(times.no_time ? row_without_time(system, form, comm.size(), read, times)
                                   : row_of(options, system, form, times, comm.size(), read, whole_us));
      if (!options.json.empty()) perf::write_results(options.json, options.commit, read, rows);
    }
    for (const auto& row : perf::measure_peers(exec, comm, options, system, read, iterations)) rows.push_back(row);
    if (speaks && !options.json.empty()) perf::write_results(options.json, options.commit, read, rows);
  }
  write_trace(options, comm, timelines);
  comm.together([&] {
    for (const auto& row : rows) {
      if (row.at("verified")) continue;
      const auto of = [&](const char* column) { return row.at(column).template get<std::string>(); };
      throw NumericalError(text("a peer is wrong: ", of("library"), " ", of("kernel"), ", ", of("case")), of("error"),
                           "mend it before its times are shown");
    }
  });
}

}  // namespace

int main(int argc, char** argv) {
  perf::RanksOptions options;
  CLI::App app("Iterations of conjugate gradients over MPI ranks");
  const auto list = [&](const char* name, auto& values, const char* help) {
    return app.add_option(name, values, help)->delimiter(',')->capture_default_str();
  };
  list("--cases", options.cases,
       "stencil11:N, stencil11xB:N, grid27xB:N, renumbered27xB:N, cantilever:N, audi_kw, af_0_k101");
  list("--decompositions", options.decompositions, "how a rank multiplies what others have")
      ->check(CLI::IsMember(decompositions));
  list("--halos", options.halos, "how it comes")->check(CLI::IsMember(halos));
  list("--x-updates", options.x_updates, "when x is updated")->check(CLI::IsMember(x_updates));
  list("--overlaps", options.overlaps, "whether the halo travels under the product")
      ->check(CLI::IsMember({"on", "off"}));
  list("--exchange", options.exchanges, "who sends the halo and waits for it: auto, blocking, stream, kernel")
      ->check(CLI::IsMember(exchanges));
  list("--launch", options.launches, "how iterations reach the device: automatic, persistent, graph, one_by_one")
      ->check(CLI::IsMember(launches));
  list("--libraries", options.libraries, "whose iterations, as far as they were found")
      ->check(CLI::IsMember({"ashlar", "nccl", "in_kernel"}));
  app.add_option("--samples", options.samples, "of which each time is the median")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  list("--iterations", options.iterations, "N1,N2: of the two solves whose difference is timed")
      ->expected(2)
      ->check(CLI::PositiveNumber);
  app.add_option("--ranks-on-host", options.ranks_on_host,
                 "the last N ranks of each host compute there: measures how they and the devices share")
      ->capture_default_str();
  app.add_option("--refinements", options.refinements, "how often rows are then dealt anew by the ranks' busy times")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("--memory-limit", options.memory_limit,
                 "bytes, or 2M, 8GiB: what a rank's solve may take of its device's memory, to which its rows are then "
                 "streamed from the host's")
      ->transform(CLI::AsSizeValue(false));
  app.add_option("--whole", options.whole,
                 "results of one rank, on one device or on all cores of the host, to count efficiencies from")
      ->check(CLI::ExistingFile);
  app.add_option("--json", options.json, "write the results here");
  app.add_option("--trace", options.trace, "write timelines of some iterations of each form here, for ui.perfetto.dev");
  app.add_option("--trace-iterations", options.trace_iterations, "how many iterations")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--commit", options.commit, "recorded in the context");

  try {
    const MpiSession mpi;
    const Communicator comm = mpi.world();
    if (const auto code = perf::parse_options(app, argc, argv, comm)) return *code;
    try {
      const Kokkos::ScopeGuard kokkos(argc, argv);
      options.ranks_on_host == 0 ? run(options, perf::with_streams(comm)) : run_with_hosts(options, comm);
    } catch (const std::exception& error) {
      comm.abort(error.what());
    }
  } catch (const std::exception& error) {
    std::cerr << "perf_cg_ranks: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
