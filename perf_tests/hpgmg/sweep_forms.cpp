#include <array>
#include <ashlar/base/text.hpp>
#include <ashlar/multigrid/benchmark_problem.hpp>
#include <ashlar/multigrid/smoother.hpp>
#include <cstdio>
#include <functional>
#include <hpgmg/cube_root.hpp>
#include <hpgmg/sweep_forms.hpp>
#include <string>
#include <support/timing.hpp>
#include <vector>

namespace ashlar::perf {

namespace {

using namespace ashlar::multigrid;
using BoxVector = Level<Exec>::Vector;

constexpr std::array forms{SweepForm::cells, SweepForm::planes};

/// Half sweeps of both colours; the result is in x.
void sweep(const Exec& exec, const Level<Exec>& level, BoxVector& x, BoxVector& temp) {
  for (const int colour : {0, 1}) gauss_seidel_half_sweep(exec, level, x, temp, level.f, colour);
}

/// max |sweep and residual in this form - those by cells|, from the same start.
double difference(const Exec& exec, Level<Exec>& level, SweepForm form) {
  const BoxVector wanted = level.vector(exec, "wanted");
  const auto made = [&](SweepForm by) {
    level.sweep_by(exec, by);
    Kokkos::deep_copy(exec, level.u, level.f);
    BoxVector x = level.u, temp = level.temp;
    sweep(exec, level, x, temp);
    residual(exec, level, x, level.f, level.r);
  };
  made(SweepForm::cells);
  Kokkos::deep_copy(exec, wanted, level.r);
  made(form);
  combine(exec, level, 1, level.r, -1, wanted, wanted);
  return max_norm(exec, level, wanted);
}

struct Work {
  const char* name;
  SweepForm form;
  int passes, bytes;  // of a cell, once a pass
};

}  // namespace

bool measure_sweep_forms(const Exec& exec, int cells, const HpgmgPerfOptions& options, double read_gb_s,
                         nlohmann::json& rows) {
  bool all_right = true;
  for (const int boxes : options.boxes) {
    const int per_dim = cube_root(boxes);
    const int box_dim = per_dim == 0 || cells % per_dim != 0 ? 0 : cells / per_dim;
    if (box_dim < 4) continue;
    const std::string name = text("fv4 ", cells, "^3 in ", count_text(boxes, "box"));
    std::printf("%s\n", name.c_str());
    Level<Exec> level(exec, BoxGrid(per_dim, box_dim), Discretisation::fv4, Equation::poisson, 0);
    set_benchmark_problem(exec, level);
    fill_coefficient_ghosts(exec, level);
    find_diagonal(exec, level);
    bool is_right = true;
    for (const SweepForm form : forms) is_right = is_right && difference(exec, level, form) == 0;
    all_right = all_right && is_right;

    std::vector<Work> what{{"ghost cells", SweepForm::cells, 1, 0}};
    std::vector<std::function<void()>> works{[&] { fill_ghosts(exec, level, level.u); }};
    BoxVector x = level.u, temp = level.temp;
    for (const SweepForm form : forms) {
      what.push_back({"two half sweeps", form, 2, 56});
      works.emplace_back([&, form] {
        level.sweeps = form;
        sweep(exec, level, x, temp);
      });
      what.push_back({"residual", form, 1, 48});
      works.emplace_back([&, form] {
        level.sweeps = form;
        residual(exec, level, level.u, level.f, level.r);
      });
    }
    const std::vector<double> seconds = alternating_medians(exec, works, {options.samples, 0.05});
    for (std::size_t w = 0; w < works.size(); ++w) {
      const auto bytes = double(what[w].bytes) * what[w].passes * static_cast<double>(level.num_cells());
      const double gb_s = 1e-9 * bytes / seconds[w];
      const std::string form(w == 0 ? "" : to_string(what[w].form));
      rows.push_back({{"case", name},
                      {"library", "ashlar"},
                      {"kernel", w == 0 ? std::string(what[w].name) : text(what[w].name, ", ", form)},
                      {"type", "double"},
                      {"block_size", 1},
                      {"cells_per_dim", cells},
                      {"num_boxes", boxes},
                      {"box_dim", box_dim},
                      {"sweeps", form},
                      {"seconds", seconds[w]},
                      {"bytes", bytes},
                      {"bytes_formula", "of a cell 56 for each half sweep; 48 for a residual"},
                      {"gb_s", gb_s},
                      {"limit_gb_s", read_gb_s},
                      {"fraction", gb_s / read_gb_s},
                      {"verified", is_right}});
      std::printf("  %-16s %-13s %10.1f us, %.3f of the floor%s\n", what[w].name, form.c_str(), 1e6 * seconds[w],
                  gb_s / read_gb_s, is_right ? "" : "  WRONG: forms differ");
    }
    std::fflush(stdout);
  }
  return all_right;
}

}  // namespace ashlar::perf
