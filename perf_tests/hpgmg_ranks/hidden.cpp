#include <algorithm>
#include <ashlar/base/text.hpp>
#include <ashlar/multigrid/benchmark_problem.hpp>
#include <ashlar/multigrid/box_grid.hpp>
#include <ashlar/multigrid/multigrid_operator.hpp>
#include <ashlar/multigrid/operator.hpp>
#include <cstdio>
#include <functional>
#include <hpgmg_ranks/box_name.hpp>
#include <hpgmg_ranks/hidden.hpp>
#include <memory>
#include <string>
#include <support/rank_timing.hpp>
#include <vector>

namespace ashlar::perf {

namespace {

using namespace ashlar::multigrid;

Level<Exec> make_level(const Exec& exec, const Communicator& comm, const HiddenCase& one) {
  const int boxes = boxes_per_dimension(one.box_dim, one.boxes_per_rank, comm.size());
  const BoxGrid grid(boxes, one.box_dim, comm.size(), comm.rank());
  ExchangeOptions exchanges;
  exchanges.mode = ExchangeMode::blocking;
  Level<Exec> level(exec, grid, one.discretisation, Equation::poisson, 0,
                    std::make_shared<const Communicator>(comm.duplicate()), exchanges);
  level.sweep_by(exec, SweepForm::automatic);  // where it is not cut, as in cycles
  set_benchmark_problem(exec, level);
  fill_coefficient_ghosts(exec, level);
  Kokkos::deep_copy(exec, level.u, level.f);
  return level;
}

/// Whether residuals, cut and not, are the same but for rounding: compilers of this file may multiply and add at once.
bool is_same(const Exec& exec, Level<Exec>& level) {
  level.set_overlap(exec, Overlap::off);
  residual(exec, level, level.u, level.f, level.r);
  const double largest = max_norm(exec, level, level.r);
  level.set_overlap(exec, Overlap::on);
  residual(exec, level, level.u, level.f, level.temp);
  combine(exec, level, 1, level.r, -1, level.temp, level.temp);
  return largest > 0 && max_norm(exec, level, level.temp) <= 1e-12 * largest;
}

}  // namespace

bool measure_hidden(const Exec& exec, const Communicator& comm, const HiddenCase& one, int samples, double read_gb_s,
                    nlohmann::json& rows) {
  const std::string name = text("hidden, ", to_string(one.discretisation), ", boxes of ", box_name(one.box_dim));
  Level<Exec> level = make_level(exec, comm, one);
  const bool is_right = is_same(exec, level);
  const BoundaryOrder order = operator_boundary_order(level);
  const auto interior = [&] { residual_at(exec, level, &level.interior, level.u, level.f, level.r); };
  const auto whole = [&](Overlap overlap) {
    level.set_overlap(exec, overlap);
    residual(exec, level, level.u, level.f, level.r);
  };
  const std::vector<std::function<void()>> works{
      [&] { level.fill_for_operator(exec, level.u, order); },
      interior,
      [&] { level.fill_for_operator.beside(exec, level.u, order, interior); },
      [&] { residual_at(exec, level, &level.shell, level.u, level.f, level.r); },
      [&] { whole(Overlap::off); },
      [&] { whole(Overlap::on); }};
  std::vector<RankWork> timed;
  for (const auto& work : works) timed.push_back({work, [&] { exec.fence("perf_hpgmg_ranks: a sample"); }});
  const std::vector<double> seconds = alternating_medians(comm, timed, {samples, 0.02});
  const double hidden = (seconds[0] + seconds[1] - seconds[2]) / std::min(seconds[0], seconds[1]);
  const auto bytes = static_cast<double>(level.num_cells() * residual_bytes(level.equation));
  if (comm.rank() != 0) return is_right;
  std::printf("%s\n  exchange %9.1f us, interior %9.1f, both %9.1f: hidden %5.2f; residual %9.1f, cut %9.1f%s\n",
              name.c_str(), 1e6 * seconds[0], 1e6 * seconds[1], 1e6 * seconds[2], hidden, 1e6 * seconds[4],
              1e6 * seconds[5], is_right ? "" : ", WRONG");
  std::fflush(stdout);
  rows.push_back({{"case", name},
                  {"library", "ashlar"},
                  {"kernel", "residual beside its exchange, blocking"},
                  {"type", "double"},
                  {"block_size", 1},
                  {"exchange", "blocking"},
                  {"operator", to_string(one.discretisation)},
                  {"box_dim", one.box_dim},
                  {"num_boxes", level.grid.num_boxes()},
                  {"cells_per_dim", level.grid.cells_per_dim()},
                  {"ranks", comm.size()},
                  {"verified", is_right},
                  {"seconds", seconds[5]},
                  {"seconds_not_cut", seconds[4]},
                  {"bytes", bytes},
                  {"gb_s", 1e-9 * bytes / seconds[5]},
                  {"limit_gb_s", read_gb_s},
                  {"fraction", 1e-9 * bytes / seconds[5] / read_gb_s},
                  {"exchange_seconds", seconds[0]},
                  {"interior_seconds", seconds[1]},
                  {"both_seconds", seconds[2]},
                  {"shell_seconds", seconds[3]},
                  {"hidden", hidden}});
  return is_right;
}

}  // namespace ashlar::perf
