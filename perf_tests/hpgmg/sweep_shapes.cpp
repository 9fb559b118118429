#include <ashlar/base/text.hpp>
#include <ashlar/multigrid/benchmark_problem.hpp>
#include <ashlar/multigrid/cell_tiles.hpp>
#include <ashlar/multigrid/smoother.hpp>
#include <cstdio>
#include <functional>
#include <hpgmg/cube_root.hpp>
#include <hpgmg/sweep_shapes.hpp>
#include <string>
#include <support/timing.hpp>
#include <vector>

namespace ashlar::perf {

namespace {

using namespace ashlar::multigrid;

struct Shapes {
  std::vector<std::string> names;
  std::vector<std::function<void()>> works;

  void add(const std::string& name, const std::function<void()>& work) {
    names.push_back(name);
    works.push_back(work);
  }
};

/// Half sweeps and residuals by cells, in tiles of 2^bits places: pairs of cells in i, or cells.
template <int bits_i, int bits_j, int bits_k>
void add_tiles(const Exec& exec, const Level<Exec>& level, Shapes& shapes) {
  using Tiles = CellTiles<bits_i, bits_j, bits_k>;
  const std::string shape = text(1 << bits_i, " x ", 1 << bits_j, " x ", 1 << bits_k);
  shapes.add("half sweep by cells, pairs " + shape, [&exec, &level] {
    using Body = multigrid::impl::WithFluxes<multigrid::impl::RelaxBody<Fv4Stencil<double>>>;
    const Body body{
        {{level.stencil_data(level.u)}, level.f.data(), level.inverse_diagonal.data(), level.temp.data(), 0}};
    const multigrid::impl::AtColour<false, Body, decltype(level.parities)> cells(body, level.layout, level.parities, 0);
    const Index3 size{cells.pairs.by(), level.layout.dim, level.layout.dim};
    multigrid::impl::for_tiles_of_cells<Tiles>("half sweep", exec, level.num_boxes(), size, cells);
  });
  shapes.add("residual by cells " + shape, [&exec, &level] {
    using Body =
        multigrid::impl::ByPlace<multigrid::impl::WithFluxes<multigrid::impl::ResidualBody<Fv4Stencil<double>>>>;
    const Body body{{{{level.stencil_data(level.u)}, level.f.data(), level.r.data()}}, level.layout};
    const multigrid::impl::AtCells<false, Body> cells(body, level.box_size());
    multigrid::impl::for_tiles_of_cells<Tiles>("residual", exec, level.num_boxes(), level.box_size(), cells);
  });
}

/// The same by planes, `depth` of them a team's; 0: as the library chooses.
void add_depth(const Exec& exec, const Level<Exec>& level, int depth, Shapes& shapes) {
  const std::string planes = depth == 0 ? "as chosen" : text(depth, " planes");
  const multigrid::impl::RelaxBody<Fv4Stencil<double>> relax{
      {level.stencil_data(level.u)}, level.f.data(), level.inverse_diagonal.data(), level.temp.data(), 0};
  shapes.add("half sweep by planes, " + planes, [&exec, &level, relax, depth] {
    multigrid::impl::sweep_planes("half sweep", exec, level.num_boxes(), level.layout, level.parities, relax, depth);
  });
  shapes.add("residual by planes, " + planes, [&exec, &level, depth] {
    const multigrid::impl::ResidualBody<Fv4Stencil<double>> body{
        {level.stencil_data(level.u)}, level.f.data(), level.r.data()};
    multigrid::impl::sweep_planes("residual", exec, level.num_boxes(), level.layout, level.parities, body, depth);
  });
}

}  // namespace

void measure_sweep_shapes(const Exec& exec, int cells, const HpgmgPerfOptions& options) {
  for (const int boxes : options.boxes) {
    const int per_dim = cube_root(boxes);
    const int box_dim = per_dim == 0 || cells % per_dim != 0 ? 0 : cells / per_dim;
    if (box_dim < 4) continue;
    Level<Exec> level(exec, BoxGrid(per_dim, box_dim), Discretisation::fv4, Equation::poisson, 0);
    set_benchmark_problem(exec, level);
    fill_coefficient_ghosts(exec, level);
    find_diagonal(exec, level);
    Shapes shapes;
    shapes.add("ghost cells", [&] { fill_ghosts(exec, level, level.u); });
    if constexpr (is_gpu_v<Exec>) {
      add_tiles<4, 3, 2>(exec, level, shapes);
      add_tiles<4, 2, 2>(exec, level, shapes);
      add_tiles<4, 4, 0>(exec, level, shapes);
      add_tiles<4, 4, 1>(exec, level, shapes);
      add_tiles<3, 3, 3>(exec, level, shapes);
      add_tiles<5, 2, 2>(exec, level, shapes);
      add_tiles<5, 2, 1>(exec, level, shapes);
    }
    for (const int depth : {0, 1, 2, 4, 8, 16, 32, 64, 128, 256}) {
      if (depth <= box_dim) add_depth(exec, level, depth, shapes);
    }
    const std::vector<double> seconds = alternating_medians(exec, shapes.works, {options.samples, 0.01});
    std::printf("fv4 %d^3 in %d box(es), kernels alone\n", cells, boxes);
    for (std::size_t s = 0; s < seconds.size(); ++s) {
      std::printf("  %-44s %9.1f us\n", shapes.names[s].c_str(), 1e6 * seconds[s]);
    }
    std::fflush(stdout);
  }
}

}  // namespace ashlar::perf
