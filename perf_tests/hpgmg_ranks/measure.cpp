#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/multigrid/benchmark_problem.hpp>
#include <ashlar/multigrid/box_grid.hpp>
#include <ashlar/multigrid/multigrid.hpp>
#include <ashlar/multigrid/multigrid_operator.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <hpgmg_ranks/box_name.hpp>
#include <hpgmg_ranks/measure.hpp>
#include <memory>
#include <optional>
#include <string>
#include <support/rank_timing.hpp>
#include <utility>

namespace ashlar::perf {

namespace {

using namespace ashlar::multigrid;

/// As --exchange has it.
std::string mode_name(ExchangeMode mode) {
  return mode == ExchangeMode::automatic ? "auto" : std::string(to_string(mode));
}

/// One mode, ready to solve.
struct Solver {
  ExchangeMode mode;
  std::unique_ptr<Multigrid<Exec>> multigrid;
  double norm = 0;
  int num_solves = 0;  ///< of those that are timed
};

Solver make_solver(const Exec& exec, const Communicator& comm, const HpgmgRanksCase& one, ExchangeMode mode) {
  const int boxes = boxes_per_dimension(one.box_dim, one.boxes_per_rank, comm.size());
  MultigridOptions options{.discretisation = one.discretisation, .host_threshold = one.host_threshold};
  options.exchange.mode = mode;
  options.exchange.packet_bytes = one.packet_bytes;
  const auto grids = make_hierarchy(boxes, one.box_dim, reach_of(one.discretisation), comm.size(), comm.rank(),
                                    {.min_cells_per_rank = one.min_cells_per_rank});
  Solver solver{mode, std::make_unique<Multigrid<Exec>>(exec, grids, options, comm)};
  set_benchmark_problem(exec, solver.multigrid->level(0));
  solver.multigrid->set_up(exec);
  solver.norm = solver.multigrid->solve(exec, Cycle::f).norms.back();
  return solver;
}

/// Of each level; null where one rank has it, which exchanges nothing.
nlohmann::json modes_of_levels(const Multigrid<Exec>& multigrid) {
  nlohmann::json modes = nlohmann::json::array();
  for (std::size_t l = 0; l < multigrid.num_levels(); ++l) {
    modes.push_back(
        multigrid.grid(l).is_shared()
            ? multigrid.with_level(
                  l, [](const auto& level) { return nlohmann::json(to_string(level.exchange_options.mode)); })
            : nlohmann::json());
  }
  return modes;
}

}  // namespace

bool measure_modes(const Exec& exec, const Communicator& comm, const HpgmgRanksCase& one,
                   const std::vector<ExchangeMode>& modes, int samples, double read_gb_s, nlohmann::json& rows,
                   nlohmann::json& left_out) {
  const bool speaks = comm.rank() == 0;
  std::string name = text(to_string(one.discretisation), ", boxes of ", box_name(one.box_dim));
  if (one.min_cells_per_rank > 0) name += text(", ranks of ", one.min_cells_per_rank, " cells or more");
  if (one.packet_bytes == 0) name += ", no packets";
  if (one.packet_bytes > 0) name += text(", packets up to ", count_text(*one.packet_bytes, "byte"));
  if (speaks) std::printf("%s, host threshold %d\n", name.c_str(), one.host_threshold);
  std::vector<Solver> solvers;
  for (const ExchangeMode mode : modes) {
    try {
      solvers.push_back(make_solver(exec, comm, one, mode));
    } catch (const Error& error) {  // on all ranks together
      left_out.push_back({{"case", name}, {"exchange", mode_name(mode)}, {"why", error.what()}});
      if (speaks) std::printf("  %-9s left out: %s\n", mode_name(mode).c_str(), error.what());
    }
  }
  std::vector<RankWork> works;
  std::vector<double> host_seconds;
  for (Solver& solver : solvers) {
    works.push_back({[&] {
                       solver.multigrid->solve(exec, Cycle::f);
                       ++solver.num_solves;
                     },
                     [&] { exec.fence("perf_hpgmg_ranks: a sample"); }});
    host_seconds.push_back(-solver.multigrid->seconds_on_host());
  }
  const std::vector<double> medians = alternating_medians(comm, works, {samples, 0.05});
  std::vector<double> on_host, on_device;
  std::optional<double> blocking;
  for (std::size_t n = 0; n < solvers.size(); ++n) {
    const Solver& solver = solvers[n];
    on_host.push_back(comm.max((host_seconds[n] + solver.multigrid->seconds_on_host()) / solver.num_solves));
    on_device.push_back(medians[n] - on_host[n]);
    if (solver.mode == ExchangeMode::blocking) blocking = on_device[n];
  }
  bool all_right = true;
  for (std::size_t n = 0; n < solvers.size(); ++n) {
    const Solver& solver = solvers[n];
    const Multigrid<Exec>& multigrid = *solver.multigrid;
    const bool is_right = solver.norm == solvers.front().norm;
    all_right = all_right && is_right;
    const auto bytes = static_cast<double>(comm.sum(f_cycle_bytes(multigrid)));
    std::size_t levels_on_host = 0;
    std::vector<int> ranks_of_levels;
    for (std::size_t l = 0; l < multigrid.num_levels(); ++l) {
      levels_on_host += std::size_t(multigrid.is_on_host(l));
      ranks_of_levels.push_back(multigrid.grid(l).num_owners());
    }
    if (!speaks) continue;
    nlohmann::json row{{"case", name},
                       {"library", "ashlar"},
                       {"kernel", text("gsrb, F-cycle, ", mode_name(solver.mode))},
                       {"type", "double"},
                       {"block_size", 1},
                       {"exchange", mode_name(solver.mode)},
                       {"exchange_of_levels", modes_of_levels(multigrid)},
                       {"explain", multigrid.explain_parts()},
                       {"operator", to_string(one.discretisation)},
                       {"box_dim", one.box_dim},
                       {"num_boxes", multigrid.grid(0).num_boxes()},
                       {"cells_per_dim", multigrid.grid(0).cells_per_dim()},
                       {"ranks", comm.size()},
                       {"min_cells_per_rank", one.min_cells_per_rank},
                       {"packet_bytes", one.packet_bytes.value_or(default_packet_bytes<Exec>)},
                       {"ranks_of_levels", ranks_of_levels},
                       {"host_threshold", one.host_threshold},
                       {"levels_on_host", levels_on_host},
                       {"norm", solver.norm},
                       {"verified", is_right},
                       {"seconds", medians[n]},
                       {"host_seconds", on_host[n]},
                       {"device_seconds", on_device[n]},
                       {"unknowns_per_second", static_cast<double>(multigrid.level(0).num_cells()) / medians[n]},
                       {"bytes", bytes},
                       {"gb_s", 1e-9 * bytes / medians[n]},
                       {"limit_gb_s", read_gb_s},
                       {"fraction", 1e-9 * bytes / medians[n] / read_gb_s}};
    row["gain_percent"] = blocking ? nlohmann::json(100 * (1 - on_device[n] / *blocking)) : nlohmann::json(nullptr);
    std::printf("  %-9s%10.3f ms, %10.3f on the device's levels, gain %6.1f %%%s\n", mode_name(solver.mode).c_str(),
                1e3 * medians[n], 1e3 * on_device[n], blocking ? 100 * (1 - on_device[n] / *blocking) : 0.0,
                is_right ? "" : ", WRONG");
    std::fflush(stdout);
    rows.push_back(std::move(row));
  }
  // In one order on all ranks: memory that they share is given back in step.
  while (!solvers.empty()) solvers.pop_back();
  return all_right;
}

}  // namespace ashlar::perf
