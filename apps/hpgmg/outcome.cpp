#include <array>
#include <ashlar/base/text.hpp>
#include <ashlar/base/version.hpp>
#include <ashlar/distributed/scatter.hpp>
#include <ashlar/io/vtk.hpp>
#include <ashlar/multigrid/level_vectors.hpp>
#include <cstddef>
#include <cstdint>
#include <iomanip>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "device.hpp"
#include "hpgmg/outcome.hpp"

namespace ashlar::app {

namespace {

using Json = nlohmann::ordered_json;
using multigrid::all_phases, multigrid::Phase;

std::string norm_text(double norm) { return text(std::scientific, std::setprecision(15), norm); }

std::string fixed_text(double number, int decimals) { return text(std::fixed, std::setprecision(decimals), number); }

/// The first column of a table, and one of the others.
std::string row_name(const std::string& name) { return text(std::left, std::setw(12), name); }
template <class Value>
std::string in_column(const Value& value) {
  return text(std::setw(14), value);
}

/// "32^3 cells in 8 boxes of 16^3"
std::string level_text(const multigrid::BoxGrid& grid) {
  return text(grid.cells_per_dim(), "^3 cells in ", count_text(grid.num_boxes(), "box"), " of ", grid.box_dim(), "^3");
}

/// ", on 2 ranks"; of a run of one rank nothing.
std::string ranks_text(const multigrid::Multigrid<Execution>& mg, std::size_t number) {
  const int owners = mg.grid(number).num_owners();
  return mg.communicator().is_alone() ? "" : ", on " + count_text(owners, "rank");
}

double largest_eigenvalue(const multigrid::Multigrid<Execution>& mg, std::size_t number) {
  return mg.with_level(number, [](const auto& level) { return level.largest_eigenvalue; });
}

bool overlaps(const multigrid::Multigrid<Execution>& mg, std::size_t number) {
  return mg.with_level(number, [](const auto& level) { return level.overlap() != multigrid::Overlap::off; });
}

/// The mode of a level's messages; null where one rank has it.
Json exchange_of(const multigrid::Multigrid<Execution>& mg, std::size_t number) {
  if (!mg.grid(number).is_shared()) return nullptr;
  return mg.with_level(number, [](const auto& level) { return Json(to_string(level.exchange_options.mode)); });
}

void print_richardson(const multigrid::RichardsonReport& richardson) {
  std::cout << "\nRichardson's analysis\n"
            << "  h   norm = " << norm_text(richardson.h.norms.back()) << "  rel = " << norm_text(richardson.h.rel)
            << "\n  2h  norm = " << norm_text(richardson.h2.norms.back()) << "  rel = " << norm_text(richardson.h2.rel)
            << "\n  4h  norm = " << norm_text(richardson.h4.norms.back()) << "  rel = " << norm_text(richardson.h4.rel)
            << "\n  error = " << norm_text(richardson.error) << "  order = " << fixed_text(richardson.order, 3) << "\n";
}

/// The residuals of CG are 2-norms, and the last norm is, as after cycles, the largest of a cell.
void print_iterations(const SolveReport& cg, const multigrid::CycleReport& solve, CyclePrecision precision) {
  for (std::size_t k = 1; k < cg.residual_history.size(); ++k) {
    std::cout << text("CG ", std::setw(3), k, "  ||f - A u|| / ||f|| = ", std::scientific, std::setprecision(6),
                      cg.residual_history[k], "\n");
  }
  std::cout << describe(cg.status) << "\nCG and a V-cycle"
            << (precision == CyclePrecision::in_single ? " in single precision" : "") << " in each of "
            << count_text(cg.iterations, "iteration") << "  norm = " << norm_text(solve.norms.back())
            << "  rel = " << norm_text(solve.rel) << "\n";
}

void print_cycles(const HpgmgOutcome& outcome) {
  for (std::size_t c = 0; c < outcome.solve.norms.size(); ++c) {
    const bool is_f = c == 0 && outcome.options.cycle != multigrid::Cycle::v;
    const double norm = outcome.solve.norms[c];
    std::cout << (is_f ? "F-cycle" : "V-cycle") << "  norm = " << norm_text(norm)
              << "  rel = " << norm_text(norm / outcome.solve.norm_of_f) << "\n";
  }
  std::cout << "iterations on the coarsest level: " << outcome.solve.bottom_iterations << "\n";
}

void print_times(const multigrid::Multigrid<Execution>& mg, const multigrid::PhaseTimes& times) {
  std::cout << "\nSeconds of a solve whose phases are timed one by one\n" << row_name("cells");
  for (const Phase phase : all_phases) std::cout << in_column(to_string(phase));
  std::cout << in_column("total") << "\n";
  std::array<double, all_phases.size() + 1> sums{};
  const auto print_row = [&](const std::string& name, const auto& numbers) {
    std::cout << row_name(name);
    for (const double number : numbers) std::cout << in_column(fixed_text(number, 6));
    std::cout << "\n";
  };
  for (std::size_t l = 0; l < mg.num_levels(); ++l) {
    std::array<double, all_phases.size() + 1> row{};
    for (std::size_t p = 0; p < all_phases.size(); ++p) {
      row[p] = times.of(l, all_phases[p]);
      row.back() += row[p];
    }
    for (std::size_t p = 0; p < row.size(); ++p) sums[p] += row[p];
    print_row(text(mg.grid(l).cells_per_dim(), "^3"), row);
  }
  print_row("total", sums);
}

void print_exchange(const multigrid::Multigrid<Execution>& mg, const std::vector<HaloCount>& exchange) {
  std::cout << "\nWhat all ranks send to apply the operator once\n"
            << row_name("cells") << in_column("messages") << in_column("bytes") << "\n";
  for (std::size_t l = 0; l < exchange.size(); ++l) {
    std::cout << row_name(text(mg.grid(l).cells_per_dim(), "^3")) << in_column(exchange[l].messages)
              << in_column(exchange[l].bytes) << "\n";
  }
}

Json number_or_null(const std::optional<multigrid::RichardsonReport>& richardson,
                    double (*number)(const multigrid::RichardsonReport&)) {
  return richardson ? Json(number(*richardson)) : Json(nullptr);
}

}  // namespace

std::vector<HaloCount> exchange_of_levels(const multigrid::Multigrid<Execution>& mg) {
  std::vector<HaloCount> levels;
  for (std::size_t l = 0; l < mg.num_levels(); ++l) {
    const HaloCount mine = mg.with_level(l, [](const auto& level) { return level.fill_for_operator.sent(); });
    levels.push_back({mg.communicator().sum(mine.messages), mg.communicator().sum(mine.bytes)});
  }
  return levels;
}

void print_levels(const multigrid::Multigrid<Execution>& mg) {
  const auto& methods = mg.options();
  std::cout << "HPGMG-FV: " << to_string(methods.discretisation) << ", " << to_string(methods.equation) << ", "
            << to_string(methods.smoother);
  if (const int ranks = mg.communicator().size(); ranks > 1) std::cout << ", on " << ranks << " ranks";
  std::cout << "\n";
  for (std::size_t l = 0; l < mg.num_levels(); ++l) {
    std::cout << "  level " << l << ": " << level_text(mg.grid(l)) << ranks_text(mg, l) << ", largest eigenvalue < "
              << fixed_text(largest_eigenvalue(mg, l), 15) << (mg.is_on_host(l) ? ", on the host" : "")
              << (overlaps(mg, l) ? ", overlaps messages\n" : "\n");
  }
  std::cout << "\nHow it runs\n";
  for (const std::string& part : mg.explain_parts()) std::cout << "  " << part << "\n";
}

void print_outcome(const multigrid::Multigrid<Execution>& mg, const HpgmgOutcome& outcome) {
  std::cout << "\n";
  outcome.cg ? print_iterations(*outcome.cg, outcome.solve, outcome.options.precision) : print_cycles(outcome);
  if (outcome.richardson) print_richardson(*outcome.richardson);
  std::cout << "\n"
            << fixed_text(outcome.seconds, 6) << " s a solve (the median of " << outcome.num_solves << "), "
            << text(std::scientific, std::setprecision(3), outcome.dof_per_second(mg)) << " unknowns a second\n";
  print_times(mg, outcome.times);
  if (!mg.communicator().is_alone()) print_exchange(mg, outcome.exchange);
}

std::string report_json(const multigrid::Multigrid<Execution>& mg, const HpgmgOutcome& outcome) {
  using Richardson = multigrid::RichardsonReport;
  const auto& methods = outcome.options.methods;
  const auto& found = outcome.richardson;
  Json json;
  json["converged"] = outcome.solve.converged;
  json["norms"] = outcome.solve.norms;
  json["rel"] = outcome.solve.rel;
  json["norm_2h"] = number_or_null(found, [](const Richardson& r) { return r.h2.norms.back(); });
  json["norm_4h"] = number_or_null(found, [](const Richardson& r) { return r.h4.norms.back(); });
  json["error"] = number_or_null(found, [](const Richardson& r) { return r.error; });
  json["order"] = number_or_null(found, [](const Richardson& r) { return r.order; });
  json["bottom_iterations"] = outcome.cg ? Json(nullptr) : Json(outcome.solve.bottom_iterations);
  json["iterations"] = outcome.cg ? Json(outcome.cg->iterations) : Json(nullptr);
  json["status"] = outcome.cg ? Json(to_string(outcome.cg->status)) : Json(nullptr);
  json["residual_history"] = outcome.cg ? Json(outcome.cg->residual_history) : Json(nullptr);
  json["seconds"] = outcome.seconds;
  json["num_solves"] = outcome.num_solves;
  json["dof_per_second"] = outcome.dof_per_second(mg);
  json["num_ranks"] = mg.communicator().size();
  json["levels"] = Json::array();
  for (std::size_t l = 0; l < mg.num_levels(); ++l) {
    Json seconds;
    for (const Phase phase : all_phases) seconds[std::string(to_string(phase))] = outcome.times.of(l, phase);
    json["levels"].push_back({{"cells_per_dim", mg.grid(l).cells_per_dim()},
                              {"box_dim", mg.grid(l).box_dim()},
                              {"num_boxes", mg.grid(l).num_boxes()},
                              {"num_ranks", mg.grid(l).num_owners()},
                              {"on_host", mg.is_on_host(l)},
                              {"is_one_kernel", mg.is_one_kernel(l)},
                              {"exchange", exchange_of(mg, l)},
                              {"overlaps", overlaps(mg, l)},
                              {"largest_eigenvalue", largest_eigenvalue(mg, l)},
                              {"exchange_messages", outcome.exchange[l].messages},
                              {"exchange_bytes", outcome.exchange[l].bytes},
                              {"seconds", seconds}});
  }
  json["explain"] = mg.explain();
  json["options"] = {{"log2_box", outcome.options.log2_box},
                     {"boxes_per_rank", outcome.options.boxes_per_rank},
                     {"box_dim", mg.level(0).grid.box_dim()},
                     {"operator", to_string(methods.discretisation)},
                     {"equation", to_string(methods.equation)},
                     {"smoother", to_string(methods.smoother)},
                     {"exchange", to_string(methods.exchange.mode)},
                     {"overlap", to_string(methods.overlap)},
                     {"min_cells_per_rank", outcome.options.levels.min_cells_per_rank},
                     {"joins_boxes", outcome.options.levels.joins_boxes},
                     {"host_threshold", methods.host_threshold},
                     {"one_kernel_cells", methods.one_kernel_cells},
                     {"graphs", methods.graphs},
                     {"sweeps", to_string(methods.sweeps)},
                     {"solver", to_string(outcome.options.solver)},
                     {"precision", outcome.cg ? Json(to_string(outcome.options.precision)) : Json(nullptr)},
                     {"cycle", outcome.cg ? Json(nullptr) : Json(to_string(outcome.options.cycle))}};
  json["versions"] = {{"ashlar", version_string}, {"kokkos", kokkos_version()}, {"compiler", compiler_version()}};
  const Device device = this_device();
  json["device"] = {{"backend", device.backend}, {"name", device.name}, {"concurrency", device.concurrency}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

namespace {

/// The values of all boxes, box after box, along x first.
std::vector<double> in_rows(const multigrid::BoxGrid& grid, const std::vector<double>& flat) {
  const std::int64_t n = grid.box_dim(), cells = grid.cells_per_dim();
  std::vector<double> result(flat.size());
  std::size_t from = 0;
  for (int box = 0; box < grid.num_boxes(); ++box) {
    const multigrid::Index3& place = grid.place(box);
    for (std::int64_t k = 0; k < n; ++k) {
      for (std::int64_t j = 0; j < n; ++j) {
        const std::int64_t row = (place[2] * n + k) * cells + place[1] * n + j;
        for (std::int64_t i = 0; i < n; ++i) result[std::size_t(row * cells + place[0] * n + i)] = flat[from++];
      }
    }
  }
  return result;
}

}  // namespace

void write_picture(const Execution& exec, const World& world, const std::optional<OutputFile>& file,
                   const multigrid::Level<Execution>& level) {
  const Vector<Execution> mine(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "ashlar::hpgmg::picture"),
                               std::size_t(multigrid::flat_size(level)));
  multigrid::from_boxes(exec, level, level.u, mine);
  // Ranks have their boxes in rank order.
  const std::vector<double> flat = gather_vector(exec, world.comm(), mine);
  world.on_all([&] {
    if (!file) return;
    const std::vector<double> u = in_rows(level.grid, flat);
    const std::int64_t cells = level.grid.cells_per_dim();
    const double h = level.grid.cell_width();
    file->write([&](const std::string& name) {
      io::write_vti(name, {{cells, cells, cells}, {h, h, h}}, {{"u", 1, u}});
    });
  });
}

}  // namespace ashlar::app
