#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/base/version.hpp>
#include <ashlar/host/text_file.hpp>
#include <nlohmann/json.hpp>

#include "solve/rank_efficiency.hpp"
#include "solve/report.hpp"

namespace ashlar::app {

using Json = nlohmann::ordered_json;

Json options_json(const SolveOptions& options) {
  const auto& [source, method, placement, distribution, outputs] = options;
  Json json;
  json["problem"] = optional_json(source.problem);
  if (source.problem) {
    json["nodes"] = source.nodes_or_default();
    json["dof"] = source.dof_or_default();
  }
  json["matrix"] = optional_json(source.matrix);
  json["rhs"] = optional_json(source.rhs);
  json["initial_guess"] = optional_json(source.initial_guess);
  if (source.matrix) {
    const int block_size = source.block_size.value_or(0);
    json["block_size"] = block_size == 0 ? Json("auto") : Json(block_size);
    json["pad"] = source.pad;
  }
  json["solver"] = to_string(method.solver);
  json["variant"] = to_string(method.variant);
  json["num_rhs"] = method.num_rhs;
  if (method.solver == SolverKind::gmres) json["restart"] = method.restart_or_default();
  json["stream"] = to_string(placement.stream);
  json["transfer"] = to_string(placement.transfer);
  json["preconditioner"] = to_string(method.preconditioner);
  json["near_null"] = method.near_null_name();
  json["coordinates"] = optional_json(method.coordinates);
  json["preconditioner_precision"] = to_string(method.preconditioner_precision);
  json["amg_smoother"] = std::string(to_string(method.amg_smoother));
  json["precision"] = to_string(method.precision);
  json["null_space"] = method.null_space_file.value_or(to_string(method.null_space));
  json["rtol"] = method.rtol;
  json["atol"] = method.atol;
  json["norm"] = std::string(to_string(method.norm));
  json["max_iterations"] = method.max_iterations;
  json["stagnation_window"] = method.stagnation_window == 0                      ? Json("auto")
                              : method.stagnation_window == no_stagnation_window ? Json("off")
                                                                                 : Json(method.stagnation_window);
  json["kernel"] = to_string(method.kernel);
  json["threads"] = optional_json(method.threads);
  json["tune"] = optional_json(method.tune);
  json["skip_symmetry_check"] = source.skip_symmetry_check;
  json["device_memory_limit"] = optional_json(placement.device_memory_limit);
  json["decomposition"] = std::string(to_string(distribution.decomposition));
  json["halo"] = option_name(distribution.halo);
  json["exchange"] = option_name(distribution.exchange);
  json["partition"] = distribution.partition;
  json["ranks_on_host"] = distribution.ranks_on_host;
  json["solution"] = optional_json(outputs.solution);
  json["report"] = optional_json(outputs.report);
  json["vtk"] = optional_json(outputs.vtk);
  json["trace"] = optional_json(outputs.trace);
  json["checkpoint"] = optional_json(outputs.checkpoint);
  json["checkpoint_every"] = outputs.checkpoint_every;
  json["resume"] = optional_json(outputs.resume);
  json["efficiency"] = optional_json(outputs.efficiency);
  json["history"] = outputs.history;
  json["probe"] = !outputs.no_probe;
  return json;
}

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* how_to_make_it = "solve the same on one rank with --report, and name that file";

[[noreturn]] void refuse(const std::string& path, const std::string& problem, const std::string& why) {
  throw FileError(path, 0, problem, why, how_to_make_it);
}

/// True if both solves had the same options that an iteration depends on.
void require_same_options(const std::string& path, const Json& there, const Json& here) {
  for (const char* name : {"problem", "nodes", "dof", "matrix", "rhs", "solver", "variant", "num_rhs", "restart",
                           "null_space", "preconditioner", "preconditioner_precision", "precision", "kernel"}) {
    // The size of a mesh is left out where there is none.
    const Json theirs = there.value(name, Json(nullptr)), ours = here.value(name, Json(nullptr));
    if (theirs == ours) continue;
    refuse(path, text("the report of a solve with ", name, " ", theirs.dump(), ", not ", ours.dump()),
           "efficiency compares the same work on one rank and on several");
  }
}

}  // namespace

OneRankRun read_one_rank_run(const std::string& path, const SolveOptions& options) {
  constexpr std::size_t most_bytes = std::size_t(1) << 28;
  // A report is a few levels deep. A much deeper one is refused, because comparing and printing it would recurse as
  // deeply.
  constexpr int deepest = 100;
  const auto require_shallow = [&](int depth, Json::parse_event_t, const Json&) {
    if (depth > deepest) refuse(path, "it is no report of ashlar solve", "it has lists within lists");
    return true;
  };
  const Json report = Json::parse(read_text_file(path, most_bytes), require_shallow, false);
  const char* const why_one = "efficiency is counted from one rank that has the whole matrix in memory";
  OneRankRun run;
  run.path = path;
  try {
    if (!report.at("ranks").is_null())
      refuse(path, text("the report of ", report.at("ranks").size(), " ranks"), why_one);
    if (report.at("streamed").get<bool>()) refuse(path, "the report of a solve with a streamed matrix", why_one);
    require_same_options(path, report.at("options"), options_json(options));
    const auto iterations = report.at("iterations").get<std::int64_t>();
    if (iterations < 1) refuse(path, "the report of a solve without iterations", "their time is compared");
    run.seconds_of_iteration = report.at("seconds").at("solve").get<double>() / double(iterations);
    run.num_rows = report.at("num_rows").get<std::int64_t>();
    run.num_blocks = report.at("num_blocks").get<std::int64_t>();
    run.block_size = report.at("block_size").get<int>();
    const Json& device = report.at("device");
    run.device = {device.at("backend").get<std::string>(), device.at("name").get<std::string>(),
                  device.at("concurrency").get<int>()};
  } catch (const Json::exception&) {
    refuse(path, "it is no report of ashlar solve", "its fields are not there");
  }
  if (!(run.seconds_of_iteration > 0)) refuse(path, "the report of a solve that took no time", "times are compared");
  return run;
}

void require_alike(const OneRankRun& run, const SystemAccount& system, const Device& device) {
  const auto shape = [](std::int64_t rows, std::int64_t blocks, int block_size) {
    return text(count_text(rows, "row"), " and ", count_text(blocks, "block"), " of size ", block_size);
  };
  const std::string theirs = shape(run.num_rows, run.num_blocks, run.block_size),
                    ours = shape(system.num_rows(), system.num_blocks, system.block_size);
  if (theirs != ours) {
    refuse(run.path, text("the report of a matrix of ", theirs), text(system.description, " has ", ours));
  }
  if (device_text(run.device) != device_text(device)) {
    refuse(run.path, text("the report of a solve on ", device_text(run.device)),
           text("a rank has ", device_text(device), ", and efficiency counts from one like it"));
  }
}

namespace {

using Json = nlohmann::ordered_json;

Json halo_json(const HaloFigures& halo) {
  const auto count_json = [](const HaloCount& count) {
    return Json{{"messages", count.messages}, {"bytes", count.bytes}};
  };
  return {{"exchanges", halo.exchanges},
          {"staged", halo.is_staged},
          {"sent", count_json(halo.sent)},
          {"received", count_json(halo.received)},
          {"waited_seconds", halo.waited_seconds}};
}

Json ranks_json(const std::vector<RankAccount>& ranks, std::int64_t block_size) {
  Json list = Json::array();
  for (const RankAccount& rank : ranks) {
    list.push_back({{"host", rank.host},
                    {"space", rank.space},
                    {"device", rank.device},
                    {"read_bandwidth_gb_s", optional_json(rank.read_bandwidth_gb_s)},
                    {"nonzeros_per_second", optional_json(rank.nonzeros_per_second)},
                    {"num_block_rows", rank.num_block_rows},
                    {"num_blocks", rank.num_blocks},
                    {"num_values", rank.num_blocks * block_size * block_size},
                    {"busy_seconds", rank.busy_seconds},
                    {"waited_seconds", rank.waited_seconds},
                    {"idle_share", optional_json(rank.idle_share())},
                    {"alone_seconds", optional_json(rank.alone_seconds)},
                    {"device_bytes", rank.device_bytes},
                    {"streamed", rank.sent_bytes.has_value()},
                    {"sent_bytes", optional_json(rank.sent_bytes)},
                    {"hidden_share", optional_json(rank.hidden_share)},
                    {"halo", halo_json(rank.halo)}});
  }
  return list;
}

Json columns_json(const std::vector<ColumnReport>& columns) {
  Json list = Json::array();
  for (const ColumnReport& column : columns) {
    list.push_back({{"status", to_string(column.status)},
                    {"iterations", column.iterations},
                    {"relative_residual", column.relative_residual},
                    {"preconditioned_residual", column.preconditioned_residual},
                    {"residual_history", column.residual_history}});
  }
  return list;
}

}  // namespace

bool Outcome::is_streamed() const {
  return system.is_streamed ||
         std::any_of(ranks.begin(), ranks.end(), [](const RankAccount& rank) { return rank.sent_bytes.has_value(); });
}

bool Outcome::iterates_in_kernels() const { return !ranks.empty() && solution.report.iterates_in_kernel; }

ExchangeAccount Outcome::exchange() const {
  const ExchangeAccount of_products{system.exchange, system.why_exchange};
  return iterates_in_kernels() ? exchange_of_kernels(of_products) : of_products;
}

RankEfficiency Outcome::efficiency() const {
  return efficiency_of({ranks, seconds_on_one, options.outputs.efficiency.has_value(), iterates_in_kernels()});
}

double Outcome::bandwidth_gb_s() const {
  const double seconds = phases.seconds_of("solve");
  return seconds > 0 ? static_cast<double>(solution.report.bytes_moved) / seconds * 1e-9 : 0;
}

std::optional<double> Outcome::bandwidth_fraction() const {
  if (!read_bandwidth_gb_s) return std::nullopt;
  return bandwidth_gb_s() / *read_bandwidth_gb_s;
}

std::string report_json(const Outcome& outcome) {
  const SolveReport& report = outcome.solution.report;
  const SystemAccount& system = outcome.system;
  Json json;
  json["status"] = to_string(report.status);
  json["iterations"] = report.iterations;
  json["relative_residual"] = report.relative_residual;
  json["preconditioned_residual"] = report.preconditioned_residual;
  json["warning"] = report.warning.empty() ? Json(nullptr) : Json(report.warning);
  json["solver"] = to_string(outcome.solution.solver);
  json["preconditioner"] = to_string(outcome.solution.preconditioner);
  json["why_preconditioner"] =
      outcome.solution.why_preconditioner.empty() ? Json(nullptr) : Json(outcome.solution.why_preconditioner);
  json["hierarchy"] = outcome.solution.hierarchy.empty() ? Json(nullptr) : Json(outcome.solution.hierarchy);
  json["why_solver"] = outcome.solution.why_solver.empty() ? Json(nullptr) : Json(outcome.solution.why_solver);
  json["rhs_in_null_space"] = optional_json(outcome.solution.rhs_in_null_space);
  json["rtol"] = outcome.options.method.rtol;
  json["atol"] = outcome.options.method.atol;
  json["error"] = nullptr;
  if (outcome.error) {
    json["error"] = {{"max_norm", outcome.error->max_norm}, {"relative_2_norm", outcome.error->relative_2_norm}};
  }
  for (const auto& [phase, seconds] : outcome.phases.seconds()) json["seconds"][phase] = seconds;
  json["seconds"]["total"] = outcome.phases.total();
  json["bytes_moved"] = report.bytes_moved;
  json["bandwidth_gb_s"] = outcome.bandwidth_gb_s();
  json["bandwidth_fraction"] = optional_json(outcome.bandwidth_fraction());
  json["read_bandwidth_gb_s"] = optional_json(outcome.read_bandwidth_gb_s);
  json["kernel"] = outcome.solution.kernel;
  json["plan"] = outcome.solution.plan;
  json["launch"] = report.launch;
  json["iterates_in_kernel"] = report.iterates_in_kernel;
  json["streamed"] = outcome.is_streamed();
  json["streaming"] = optional_json(outcome.solution.streaming);
  json["ranks"] = outcome.ranks.empty() ? Json(nullptr) : ranks_json(outcome.ranks, system.block_size);
  json["partition_decided"] = outcome.decided;
  for (const char* of_ranks : {"exchange", "pipeline_efficiency", "efficiency"}) json[of_ranks] = nullptr;
  if (!outcome.ranks.empty()) {
    const auto [mode, why] = outcome.exchange();
    json["exchange"] = {{"mode", mode}, {"why", why}};
    const RankEfficiency efficiency = outcome.efficiency();
    json["pipeline_efficiency"] = optional_json(efficiency.pipeline);
    json["efficiency"] = efficiency_json(efficiency);
  }
  const auto& columns = outcome.solution.columns;
  json["columns"] = columns.empty() ? Json(nullptr) : columns_json(columns);
  json["block_size"] = system.block_size;
  json["block_fill"] = outcome.system.block_fill;
  json["num_rows"] = system.num_rows();
  json["padding"] = system.padding;
  json["num_block_rows"] = system.num_block_rows;
  json["num_blocks"] = system.num_blocks;
  json["system"] = outcome.system.description;
  json["versions"] = {{"ashlar", version_string}, {"kokkos", kokkos_version()}, {"compiler", compiler_version()}};
  json["device"] = {
      {"backend", outcome.device.backend}, {"name", outcome.device.name}, {"concurrency", outcome.device.concurrency}};
  json["threads"] = outcome.threads;
  json["options"] = options_json(outcome.options);
  json["residual_history"] = report.residual_history;
  json["true_residuals"] = report.true_residuals;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace ashlar::app
