#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/lists.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/halo/exchange_mode.hpp>
#include <ashlar/multigrid/box_grid.hpp>
#include <ashlar/multigrid/ghost_fill.hpp>
#include <ashlar/multigrid/impl/for_each_tile.hpp>
#include <ashlar/multigrid/impl/region_kernels.hpp>
#include <ashlar/multigrid/methods.hpp>
#include <ashlar/multigrid/plans.hpp>
#include <ashlar/multigrid/stencil.hpp>
#include <ashlar/multigrid/sweep_form.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ashlar::multigrid {

/// Seconds of six sweeps, as measured at set-up: with messages on their way beside it, and without.
struct OverlapTimes {
  double with = 0, without = 0;
};

/// One level of a multigrid: its boxes, its vectors, and how their ghost cells are filled. All vectors are arrays of
/// boxes (layout), with ghost cells; a rank has only its own boxes.
template <execution_space Exec, class Real = double>
struct Level {
  using Space = typename Exec::memory_space;
  using Vector = Kokkos::View<Real**, Kokkos::LayoutRight, Space>;

  /// Allocates, and waits for `exec`. `number` counts levels from the finest, 0. Collective over `ranks`, the
  /// ranks of the grid; without them there is one rank alone.
  Level(const Exec& exec, const BoxGrid& boxes, Discretisation kind, Equation pde, std::size_t level_number,
        std::shared_ptr<const Communicator> ranks = nullptr, const ExchangeOptions& exchanges = {})
      : comm(ranks ? std::move(ranks) : std::make_shared<const Communicator>()),
        exchange_options(exchanges),
        grid(boxes),
        discretisation(kind),
        equation(pde),
        number(level_number),
        layout{boxes.box_dim(), reach_of(kind)} {
    comm->together([&] { allocate(exec); });
    fill_for_operator = ghost_fill(exec, make_ghost_plan(grid, layout.ghosts, operator_shape()));
    // Measured once a level.
    exchange_options.mode = fill_for_operator.mode(exchange_options.mode);
    fill_for_interpolation = ghost_fill(exec, make_ghost_plan(grid, layout.ghosts, GhostShape::box));
  }

  /// From here on fluxes are computed in this form, or, with `automatic`, in the form that is best here.
  ///
  /// Throws   ArgumentError where teams of this device have too little scratch memory for a form that is named.
  void sweep_by(const Exec& exec, SweepForm form) {
    sweeps = sweep_form(exec, form, discretisation, layout.dim, num_boxes());
  }

  /// One more of them, of zeros.
  Vector vector(const Exec& exec, const std::string& name) const {
    return Vector(Kokkos::view_alloc(exec, "ashlar::multigrid::" + name), std::size_t(num_boxes()),
                  std::size_t(layout.volume()));
  }

  /// Fills ghost cells after a plan of this level's grid. Collective.
  GhostFill<Exec, Real> ghost_fill(const Exec& exec, const GhostPlan& plan) const {
    return {exec, layout, plan, *comm, exchange_options};
  }

  /// set_overlap() may cut it: several ranks have it, and the host waits for their messages (the blocking mode).
  bool may_be_cut() const { return grid.is_shared() && exchange_options.mode == ExchangeMode::blocking; }

  /// With `on`, the operator from here on computes the cells that need no message while messages are on their way, and
  /// the others afterwards; with `off`, all cells afterwards. Not automatic. A level that may not be cut stays whole.
  /// The first time it allocates, and waits for `exec`.
  void set_overlap(const Exec& exec, Overlap overlap) {
    overlap_ = may_be_cut() ? overlap : Overlap::off;
    if (overlap_ == Overlap::off || shell.extent(0) > 0) return;
    const LevelCut cut = cut_level(grid, layout.ghosts, operator_shape(), impl::region_size<Exec>());
    interior = ashlar::impl::view_from(exec, "ashlar::multigrid::interior", cut.interior);
    shell = ashlar::impl::view_from(exec, "ashlar::multigrid::shell", cut.shell);
    fill_for_operator.prepare_beside(exec);
  }
  /// The same on all ranks.
  Overlap overlap() const { return overlap_; }
  /// This rank has cells that need no message, and cells that do.
  bool is_cut() const { return overlap_ == Overlap::on && interior.extent(0) > 0 && shell.extent(0) > 0; }

  /// The largest of all ranks' numbers, on all of them.
  double max_over_ranks(double mine) const { return comm->is_alone() ? mine : comm->max(mine); }

  /// The data that the operator at a cell reads, for an `x` whose ghost cells have been filled.
  StencilData<Real> stencil_data(const Vector& x) const {
    const double h = grid.cell_width();
    StencilData<Real> data;
    data.x = x.data();
    data.alpha = alpha.data();
    data.a = 1;
    data.b_over_h2 = Real(1 / (h * h));
    for (int d = 0; d < 3; ++d) data.beta[d] = beta[d].data();
    data.row = layout.row();
    data.plane = layout.plane();
    return data;
  }

  /// The ghost cells that the operator reads.
  GhostShape operator_shape() const {
    return discretisation == Discretisation::fv2 ? GhostShape::star : GhostShape::no_corners;
  }
  /// This rank's own.
  int num_boxes() const { return grid.num_own(); }
  Index3 box_size() const { return {layout.dim, layout.dim, layout.dim}; }
  /// Of all ranks.
  std::int64_t num_cells() const {
    return std::int64_t(grid.num_boxes()) * layout.dim * std::int64_t(layout.dim) * layout.dim;
  }

  /// Calls work(), and counts its time where somebody wants to know.
  template <class Work>
  void timed(const Exec& exec, Phase phase, const Work& work) const {
    times != nullptr ? times->run(exec, number, phase, work) : work();
  }

  std::shared_ptr<const Communicator> comm;  ///< all ranks, those without boxes as well
  ExchangeOptions exchange_options;
  BoxGrid grid;
  Discretisation discretisation;
  Equation equation;
  std::size_t number;
  BoxLayout layout;

  Vector u, f;     ///< the solution, or what is to be added to the finer one; the right-hand side
  Vector r, temp;  ///< the right-hand side of a cycle that goes on here; scratch memory
  Vector inverse_diagonal;
  Vector alpha;                   ///< empty for Poisson's equation
  Vector beta[3];                 ///< averages over each cell's low faces normal to i, j and k
  double largest_eigenvalue = 0;  ///< of the matrix times its inverse diagonal: a bound

  Kokkos::View<int*, Space> parities;    ///< of i + j + k of each box's first cell
  Kokkos::View<Index3*, Space> origins;  ///< i, j and k of each box's first cell
  GhostFill<Exec, Real> fill_for_operator, fill_for_interpolation;
  Kokkos::View<CellRegion*, Space> interior, shell;  ///< this rank's cells, where set_overlap() has cut the level
  std::optional<OverlapTimes> overlap_times;         ///< where set-up has tried which is faster
  SweepForm sweeps = SweepForm::cells;               ///< never automatic
  PhaseTimes* times = nullptr;

 private:
  Overlap overlap_ = Overlap::off;

  void allocate(const Exec& exec) {
    u = vector(exec, "u");
    f = vector(exec, "f");
    r = vector(exec, "r");
    temp = vector(exec, "temp");
    inverse_diagonal = vector(exec, "inverse_diagonal");
    if (equation == Equation::helmholtz) alpha = vector(exec, "alpha");
    constexpr const char* names[] = {"beta_i", "beta_j", "beta_k"};
    for (int d = 0; d < 3; ++d) beta[d] = vector(exec, names[d]);
    std::vector<int> sums;
    std::vector<Index3> cells;
    for (int box = 0; box < num_boxes(); ++box) {
      const Index3& place = grid.place(grid.first_own() + box);
      cells.push_back({place[0] * layout.dim, place[1] * layout.dim, place[2] * layout.dim});
      sums.push_back((place[0] + place[1] + place[2]) * layout.dim % 2);
    }
    parities = ashlar::impl::view_from(exec, "ashlar::multigrid::parities", sums);
    origins = ashlar::impl::view_from(exec, "ashlar::multigrid::origins", cells);
  }
};

/// Calls work(stencil) with the operator of the level, for a vector whose ghost cells have been filled.
template <class Exec, class Real, class Vector, class Work>
void with_stencil(const Level<Exec, Real>& level, const Vector& x, const Work& work) {
  if (level.discretisation == Discretisation::fv2) {
    work(Fv2Stencil<Real>{level.stencil_data(x)});
  } else {
    work(Fv4Stencil<Real>{level.stencil_data(x)});
  }
}

/// Bytes that the vectors of a level take on this rank.
template <class Real = double>
std::uint64_t level_bytes(const BoxGrid& grid, Discretisation discretisation, Equation equation) {
  const BoxLayout layout{grid.box_dim(), reach_of(discretisation)};
  const int vectors = equation == Equation::helmholtz ? 9 : 8;
  return std::uint64_t(grid.num_own()) * std::uint64_t(layout.volume()) * std::uint64_t(vectors) * sizeof(Real);
}

}  // namespace ashlar::multigrid
