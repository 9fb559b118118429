#include <ashlar/base/text.hpp>
#include <ashlar/multigrid/benchmark_problem.hpp>
#include <ashlar/multigrid/box_grid.hpp>
#include <ashlar/multigrid/methods.hpp>
#include <ashlar/multigrid/multigrid.hpp>
#include <ashlar/multigrid/multigrid_operator.hpp>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <hpgmg/cube_root.hpp>
#include <hpgmg/measure.hpp>
#include <memory>
#include <optional>
#include <string>
#include <support/read_probe.hpp>
#include <support/timing.hpp>
#include <utility>
#include <vector>

namespace ashlar::perf {

namespace {

using namespace ashlar::multigrid;

constexpr const char* bytes_formula =
    "f_cycle_bytes: cells of level 0 * (16 + 48 + 8) + sum over levels l but the coarsest of its cells * ((l + 1) * V "
    "+ "
    "16), where V = cycle_bytes = 12 sweeps * 56 (x, f, 1/D, three coefficients read, x written; 10 * 8 more with "
    "chebyshev) + residual 48 + restriction 8 + interpolation 16";

/// What must be: one F-cycle leaves the norm that the same cells leave in one box, V-cycles after it converge. The
/// fourth order is given up at the boundary of boxes of fewer than 5 cells, which therefore leave another norm.
std::string what_is_wrong(const Exec& exec, const Multigrid<Exec>& multigrid, std::optional<double>& norm_of_others) {
  const double norm = multigrid.solve(exec, Cycle::f).norms.back();
  const bool is_alike =
      multigrid.options().discretisation == Discretisation::fv2 || multigrid.level(0).grid.box_dim() >= 5;
  if (is_alike) {
    if (!norm_of_others) norm_of_others = norm;
    // What a device and its host round otherwise is enlarged where the residual is small beside f.
    const double tolerance = is_gpu_v<Exec> && multigrid.options().host_threshold > 0 ? 1e-6 : 1e-12;
    // Written so that NaN fails.
    if (!(std::abs(norm - *norm_of_others) <= tolerance * *norm_of_others)) {
      return text("max|f - A u| = ", norm, " after an F-cycle, ", *norm_of_others, " with other boxes");
    }
  }
  const CycleReport both = multigrid.solve(exec, Cycle::fv);
  if (!both.converged) return text("max|f - A u| = ", both.norms.back(), " after ", both.norms.size(), " cycles");
  return "";
}

nlohmann::json levels_of(const Multigrid<Exec>& multigrid, const PhaseTimes& times) {
  nlohmann::json levels = nlohmann::json::array();
  for (std::size_t l = 0; l < multigrid.num_levels(); ++l) {
    const BoxGrid& grid = multigrid.grid(l);
    nlohmann::json seconds;
    for (const Phase phase : all_phases) seconds[std::string(to_string(phase))] = times.of(l, phase);
    levels.push_back({{"cells_per_dim", grid.cells_per_dim()},
                      {"box_dim", grid.box_dim()},
                      {"num_boxes", grid.num_boxes()},
                      {"on_host", multigrid.is_on_host(l)},
                      {"seconds", seconds}});
  }
  return levels;
}

/// One multigrid with its switches, of those that are measured in turns.
struct Candidate {
  std::string switches;
  std::unique_ptr<Multigrid<Exec>> multigrid;
  std::string wrong;   // empty where all is right
  double seconds = 0;  // the median of a solve
};

/// `switches` is a name of HpgmgPerfOptions::switches.
MultigridOptions with_switches(MultigridOptions options, const std::string& switches) {
  if (switches == "default" || switches == "keep_boxes") return options;
  // CPUs have no default that is on.
  if (options.one_kernel_cells == 0) options.one_kernel_cells = 32 * 32 * 32;
  if (switches == "plain" || switches == "graphs") options.one_kernel_cells = 0;
  options.graphs = switches == "graphs" || switches == "both";
  return options;
}

/// Times the candidates that are right in turns. Returns the bandwidth of reading that goes with them, measured
/// between them where there is a ReadProbe.
double time_solves(const Exec& exec, std::vector<Candidate>& candidates, int samples, double read_gb_s) {
  std::vector<Candidate*> right;
  std::vector<std::function<void()>> works;
  for (Candidate& candidate : candidates) {
    if (!candidate.wrong.empty()) continue;
    right.push_back(&candidate);
    works.emplace_back([&exec, &candidate] { candidate.multigrid->solve(exec, Cycle::f); });
  }
  const auto measure = [&] {
    const auto medians = alternating_medians(exec, works, Repetitions{samples, 0.05});
    for (std::size_t n = 0; n < right.size(); ++n) right[n]->seconds = medians[n];
    return medians.back();
  };
  if constexpr (is_gpu_v<Exec>) {
    if (!works.empty()) measure();
    return read_gb_s;
  } else {
    const ReadProbe probe(exec);
    works.emplace_back([&] { probe(); });
    return 1e-9 * probe.bytes() / measure();
  }
}

void print_row(const nlohmann::json& row) {
  std::printf("  %6d boxes of %4d^3, host threshold %d, %-10s: %9.3f ms, %.3e unknowns a second, %.3f of the floor\n",
              row["num_boxes"].get<int>(), row["box_dim"].get<int>(), row["host_threshold"].get<int>(),
              row["switches"].get<std::string>().c_str(), 1e3 * row["seconds"].get<double>(),
              row["unknowns_per_second"].get<double>(), row["fraction"].get<double>());
  std::fflush(stdout);
}

}  // namespace

bool measure_cuts(const Exec& exec, int cells, Discretisation discretisation, Smoother smoother,
                  const HpgmgPerfOptions& options, double read_gb_s, nlohmann::json& rows) {
  const std::string name = text(to_string(discretisation), " ", cells, "^3");
  std::printf("%s, %s, one F-cycle\n", name.c_str(), std::string(to_string(smoother)).c_str());
  bool all_right = true;
  std::optional<double> norm_of_others;
  for (const int boxes : options.boxes) {
    const int per_dim = cube_root(boxes), reach = reach_of(discretisation);
    const int box_dim = per_dim == 0 || cells % per_dim != 0 ? 0 : cells / per_dim;
    if (box_dim < reach || (per_dim > 1 && box_dim % 2 != 0)) {
      std::printf("  %6d boxes: left out: %d^3 cells are not cut into them, or they are too small\n", boxes, cells);
      continue;
    }
    for (const int threshold : options.host_thresholds) {
      std::vector<Candidate> candidates;
      for (const std::string& switches : options.switches) {
        const MultigridOptions methods = with_switches({.discretisation = discretisation,
                                                        .smoother = smoother,
                                                        .host_threshold = threshold,
                                                        .sweeps = options.sweeps},
                                                       switches);
        const HierarchyOptions levels{.joins_boxes = switches != "keep_boxes"};
        Candidate& candidate = candidates.emplace_back(Candidate{
            switches,
            std::make_unique<Multigrid<Exec>>(exec, make_hierarchy(per_dim, box_dim, reach, 1, 0, levels), methods), "",
            0});
        set_benchmark_problem(exec, candidate.multigrid->level(0));
        candidate.multigrid->set_up(exec);
        candidate.wrong = what_is_wrong(exec, *candidate.multigrid, norm_of_others);
      }
      const double limit_gb_s = time_solves(exec, candidates, options.samples, read_gb_s);
      for (const Candidate& candidate : candidates) {
        Multigrid<Exec>& multigrid = *candidate.multigrid;
        const auto bytes = static_cast<double>(f_cycle_bytes(multigrid));
        nlohmann::json row{{"case", name},
                           {"library", "ashlar"},
                           {"kernel", text(to_string(smoother), ", F-cycle, ", boxes, " boxes",
                                           candidate.switches == "default" ? "" : ", " + candidate.switches)},
                           {"type", "double"},
                           {"block_size", 1},
                           {"operator", to_string(discretisation)},
                           {"smoother", to_string(smoother)},
                           {"cells_per_dim", cells},
                           {"num_boxes", boxes},
                           {"box_dim", box_dim},
                           {"num_levels", multigrid.num_levels()},
                           {"host_threshold", threshold},
                           {"switches", candidate.switches},
                           {"sweeps", to_string(options.sweeps)},
                           {"explanation", multigrid.explain()},
                           {"bytes", bytes},
                           {"bytes_formula", bytes_formula}};
        row["verified"] = candidate.wrong.empty();
        if (!candidate.wrong.empty()) {
          all_right = false;
          row["error"] = candidate.wrong;
          rows.push_back(row);
          std::printf("  %6d boxes, %s: WRONG: %s\n", boxes, candidate.switches.c_str(), candidate.wrong.c_str());
          continue;
        }
        PhaseTimes by_phase(multigrid.num_levels());
        multigrid.count_times(&by_phase);
        multigrid.solve(exec, Cycle::f);
        multigrid.count_times(nullptr);
        const double gb_s = 1e-9 * bytes / candidate.seconds;
        row.update({{"seconds", candidate.seconds},
                    {"unknowns_per_second", static_cast<double>(multigrid.level(0).num_cells()) / candidate.seconds},
                    {"gb_s", gb_s},
                    {"limit_gb_s", limit_gb_s},
                    {"fraction", gb_s / limit_gb_s},
                    {"levels", levels_of(multigrid, by_phase)}});
        print_row(row);
        rows.push_back(std::move(row));
      }
    }
  }
  return all_right;
}

}  // namespace ashlar::perf
