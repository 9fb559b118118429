#include "hpgmg/options.hpp"

#include <CLI/CLI.hpp>
#include <array>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/multigrid/box_grid.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "file_names.hpp"
#include "option_values.hpp"

namespace ashlar::app {

namespace {

using multigrid::Cycle, multigrid::Discretisation, multigrid::Equation, multigrid::Overlap, multigrid::SweepForm;

/// As options name it.
template <class Kind>
std::string_view name_of(Kind kind) {
  return to_string(kind);
}
template <>
std::string_view name_of(ExchangeMode mode) {
  return mode == ExchangeMode::automatic ? "auto" : to_string(mode);
}
template <>
std::string_view name_of(Overlap overlap) {
  return overlap == Overlap::automatic ? "auto" : to_string(overlap);
}

template <>
std::string_view name_of(SweepForm form) {
  return form == SweepForm::automatic ? "auto" : to_string(form);
}

/// An option whose values are the names of these kinds.
template <class Kind, std::size_t count>
void add_choice(CLI::App& command, const std::string& option, Kind& target, const std::array<Kind, count>& kinds,
                const std::string& description) {
  std::string shape, list;
  for (std::size_t k = 0; k < count; ++k) {
    shape += text(k == 0 ? "" : "|", name_of(kinds[k]));
    list += text(k == 0 ? "" : k + 1 < count ? ", " : " or ", name_of(kinds[k]));
  }
  const auto parse = [&target, kinds, option, list](const std::string& value) {
    for (const Kind kind : kinds) {
      if (value == name_of(kind)) {
        target = kind;
        return;
      }
    }
    throw ArgumentError(text(option, " '", value, "'"), "there is none of this name", "pass " + list);
  };
  command.add_option_function<std::string>(option, parse, description)->type_name(shape);
}

void add_number(CLI::App& command, const std::string& name, int& target, const std::string& description) {
  command
      .add_option_function<std::string>(
          name, [&target, name](const std::string& value) { target = whole_number_of(name, value); }, description)
      ->type_name("N")
      ->required();
}

}  // namespace

std::string_view to_string(HpgmgSolver solver) { return solver == HpgmgSolver::cycles ? "cycles" : "mg-pcg"; }

std::string_view to_string(CyclePrecision precision) {
  return precision == CyclePrecision::in_double ? "double" : "single";
}

std::vector<multigrid::BoxGrid> grids_of(const HpgmgOptions& options, int num_ranks, int rank) {
  constexpr int most_cells = 4096;
  const int usual_dim = 1 << options.log2_box;
  const std::int64_t cells =
      options.cells
          ? *options.cells
          : std::int64_t(usual_dim) * multigrid::boxes_per_dimension(usual_dim, options.boxes_per_rank, num_ranks);
  if (cells < 1 || cells > most_cells) {
    throw ArgumentError(text("hpgmg: ", cells, "^3 cells"),
                        cells < 1 ? "there is at least one" : text("more than ", most_cells, "^3 fit no memory"),
                        options.cells ? "pass another --cells" : "take fewer or smaller boxes");
  }
  const int box_dim = options.box_dim.value_or(usual_dim);
  if (box_dim < 1 || cells % box_dim != 0) {
    throw ArgumentError(text("hpgmg: ", cells, "^3 cells in boxes of ", box_dim, "^3"),
                        text(box_dim, " does not divide ", cells), "pass a --box-dim that does");
  }
  return multigrid::make_hierarchy(static_cast<int>(cells / box_dim), box_dim,
                                   multigrid::reach_of(options.methods.discretisation), num_ranks, rank,
                                   options.levels);
}

void declare_options(CLI::App& command, HpgmgOptions& options) {
  add_number(command, "LOG2_BOX", options.log2_box, "boxes have 2^LOG2_BOX cells in each direction, 1 to 10");
  add_number(command, "BOXES_PER_RANK", options.boxes_per_rank,
             "boxes at most; the command takes as many as form a cube that coarsens well");
  command
      .add_option_function<std::string>(
          "--cells", [&options](const std::string& value) { options.cells = whole_number_of("--cells", value); },
          "N cells a side, instead of BOXES_PER_RANK; the box size must divide N")
      ->type_name("N");
  command
      .add_option_function<std::string>(
          "--box-dim", [&options](const std::string& value) { options.box_dim = whole_number_of("--box-dim", value); },
          "cut the same cells into boxes of N cells a side; N must divide the cells a side")
      ->type_name("N");
  add_choice(command, "--operator", options.methods.discretisation,
             std::array{Discretisation::fv2, Discretisation::fv4},
             "finite volumes of order 2, or of order 4 (the default)");
  add_choice(command, "--equation", options.methods.equation, std::array{Equation::poisson, Equation::helmholtz},
             "-div(beta grad u) = f (the default), or u - div(beta grad u) = f");
  add_choice(command, "--smoother", options.methods.smoother, multigrid::all_smoothers,
             "red-black Gauss-Seidel (the default), Chebyshev's polynomial, or damped Jacobi: six sweeps each time");
  add_choice(
      command, "--sweeps", options.methods.sweeps,
      std::array{SweepForm::automatic, SweepForm::cells, SweepForm::planes},
      "work of a thread in a sweep of fv4: a cell (cells), or with others of a team the planes of a tile (planes); "
      "auto (the default): on GPUs planes for many cells; both give the same numbers");
  add_choice(
      command, "--solver", options.solver, std::array{HpgmgSolver::cycles, HpgmgSolver::mg_pcg},
      "cycles by themselves (the default), or conjugate gradients with one V-cycle as their preconditioner, until "
      "||f - A u|| < 1e-10 ||f||");
  add_choice(command, "--cycle", options.cycle, std::array{Cycle::f, Cycle::v, Cycle::fv},
             "one F-cycle (the default); V-cycles until max|f - A u| < 1e-10 max|f|; or both, one after the other");
  add_choice(
      command, "--precision", options.precision, std::array{CyclePrecision::in_double, CyclePrecision::in_single},
      "precision of the V-cycle of mg-pcg: double (the default), or single, which moves half of the bytes; CG stays "
      "in double");
  add_choice(command, "--exchange", options.methods.exchange.mode,
             std::array{ExchangeMode::automatic, ExchangeMode::blocking, ExchangeMode::stream, ExchangeMode::kernel},
             "over ranks, what sends ghost cells: blocking, the host; stream, streams of the devices, by NCCL; kernel, "
             "kernels, through shared memory; auto (the default), the fastest by measurement");
  add_choice(command, "--overlap", options.methods.overlap, std::array{Overlap::automatic, Overlap::on, Overlap::off},
             "compute cells that need no message while messages travel (blocking mode); auto (the default): what was "
             "measured to take less time on a level");
  command
      .add_option_function<std::string>(
          "--min-cells-per-rank",
          [&options](const std::string& value) {
            options.levels.min_cells_per_rank = whole_number_of("--min-cells-per-rank", value);
          },
          text("gather coarse levels on fewer ranks, so that each has at least N cells; 0: never (the default here is ",
               multigrid::default_min_cells_per_rank, ")"))
      ->type_name("N");
  command.add_flag_callback(
      "--keep-boxes", [&options] { options.levels.joins_boxes = false; }, "do not join the coarse boxes of a rank");
  command
      .add_option_function<std::string>(
          "--host-threshold",
          [&options](const std::string& value) {
            options.methods.host_threshold = whole_number_of("--host-threshold", value);
          },
          "run coarse levels with fewer than N cells a rank on the host; 0 (the default): none")
      ->type_name("N");
  command
      .add_option_function<std::string>(
          "--one-kernel-cells",
          [&options](const std::string& value) {
            options.methods.one_kernel_cells = whole_number_of("--one-kernel-cells", value);
          },
          text("cycles at levels of at most N cells become one kernel; 0: none (the default here is ",
               multigrid::default_one_kernel_cells, ")"))
      ->type_name("N");
  command.add_flag_callback(
      "--no-graphs", [&options] { options.methods.graphs = false; }, "launch every kernel separately");
  command.parse_complete_callback([&command, &options] {
    const bool is_cg = options.solver == HpgmgSolver::mg_pcg;
    if (is_cg && command.count("--cycle") > 0) {
      throw ArgumentError(text("--cycle with --solver ", to_string(options.solver)), "its cycles are V-cycles",
                          "leave one of the two");
    }
    if (!is_cg && options.precision == CyclePrecision::in_single) {
      throw ArgumentError(text("--precision single with --solver ", to_string(options.solver)),
                          "cycles by themselves are in double: single precision would be the solution's",
                          "take --solver mg-pcg, or leave it out");
    }
  });
  command.add_option("--vtk", options.picture, "averages of the solution over cells, as a VTK image (.vti)")
      ->type_name("FILE");
  command.add_option("--report", options.report, "norms, errors, timings and versions as JSON")->type_name("FILE");
  command
      .add_option("--trace", options.trace,
                  "a timeline of one solve, kernel by kernel, for ui.perfetto.dev or chrome://tracing (JSON)")
      ->type_name("FILE");
}

void check_before_start(const World& world, const HpgmgOptions& options) {
  if (options.log2_box < 1 || options.log2_box > 10) {
    throw ArgumentError(text("hpgmg: boxes of 2^", options.log2_box, " cells in each direction"),
                        "LOG2_BOX is 1 to 10: smaller boxes cannot be coarsened", "pass something like 5");
  }
  if (options.boxes_per_rank < 1) {
    throw ArgumentError(text("hpgmg: ", options.boxes_per_rank, " boxes a rank"), "there is at least one",
                        "pass something like 8");
  }
  if (options.levels.min_cells_per_rank < 0) {
    throw ArgumentError(text("--min-cells-per-rank '", options.levels.min_cells_per_rank, "'"),
                        "ranks with fewer cells of a coarse level leave it to others",
                        "pass a number from 1 on, or 0: none does");
  }
  if (options.methods.host_threshold < 0) {
    throw ArgumentError(text("--host-threshold '", options.methods.host_threshold, "'"),
                        "levels of fewer cells a rank run on the host",
                        "pass a number from 1 on, or 0: none runs there");
  }
  const ExchangeMode mode = options.methods.exchange.mode;
  if (options.methods.overlap == Overlap::on && (mode == ExchangeMode::stream || mode == ExchangeMode::kernel)) {
    throw ArgumentError(text("--overlap on with --exchange ", name_of(mode)),
                        "only levels in the blocking mode compute while messages are on their way",
                        "pass --exchange blocking, or leave out --overlap");
  }
  if (options.methods.one_kernel_cells < 0) {
    throw ArgumentError(text("--one-kernel-cells '", options.methods.one_kernel_cells, "'"),
                        "levels of so many cells or fewer are one kernel",
                        "pass a number from 1 on, or 0: none is one");
  }
  require_distinct({"--report", options.report}, {"--vtk", options.picture});
  require_distinct({"--trace", options.trace}, {"--vtk", options.picture});
  require_distinct({"--trace", options.trace}, {"--report", options.report});
  if (options.picture) {
    require_ending("--vtk", *options.picture, {".vti"}, "the solution is written as an image", "name it like u.vti");
  }
  const int ranks = world.comm().size();
  const multigrid::BoxGrid finest = grids_of(options, ranks, 0).front();
  if (ranks > finest.num_boxes()) {
    throw ArgumentError(text("hpgmg: ", ranks, " ranks for ", count_text(finest.num_boxes(), "box"), " of ",
                             finest.box_dim(), "^3 cells"),
                        "a rank has one at least", "take more boxes a rank, or fewer ranks");
  }
}

}  // namespace ashlar::app
