#include "solve/report.hpp"

#include <algorithm>
#include <ashlar/base/version.hpp>
#include <nlohmann/json.hpp>

#include "solve/optional_json.hpp"
#include "solve/options_json.hpp"

namespace ashlar::app {

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

Json columns_json(const BlockSolveReport& report) {
  Json columns = Json::array();
  for (const ColumnReport& column : report.columns) {
    columns.push_back({{"status", to_string(column.status)},
                       {"iterations", column.iterations},
                       {"relative_residual", column.relative_residual},
                       {"preconditioned_residual", column.preconditioned_residual},
                       {"residual_history", column.residual_history}});
  }
  return columns;
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
  json["columns"] = outcome.solution.block ? columns_json(*outcome.solution.block) : Json(nullptr);
  json["block_size"] = system.block_size;
  json["block_fill"] = outcome.system.block_fill;
  json["num_rows"] = system.num_rows();
  json["num_block_rows"] = system.num_block_rows;
  json["num_blocks"] = system.num_blocks;
  json["system"] = outcome.system.description;
  json["versions"] = {{"ashlar", version_string}, {"kokkos", kokkos_version()}, {"compiler", compiler_version()}};
  json["device"] = {
      {"backend", outcome.device.backend}, {"name", outcome.device.name}, {"concurrency", outcome.device.concurrency}};
  json["threads"] = outcome.threads;
  json["options"] = options_json(outcome.options);
  json["residual_history"] = report.residual_history;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace ashlar::app
