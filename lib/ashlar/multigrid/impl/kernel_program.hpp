#pragma once

#include <ashlar/base/concepts.hpp>
#include <ashlar/base/lists.hpp>
#include <ashlar/cycles/cycle.hpp>
#include <ashlar/multigrid/ghost_fill.hpp>
#include <ashlar/multigrid/impl/cycle_level.hpp>
#include <ashlar/multigrid/impl/packed_kernel.hpp>
#include <ashlar/multigrid/plans.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace ashlar::multigrid::impl {

/// Translates steps of cycles, on levels that one rank has, into kernels that one kernel runs. Owns the memory to which
/// these kernels point besides the levels'.
template <execution_space Exec, class Real>
class ProgramWriter {
 public:
  using Vector = typename Level<Exec, Real>::Vector;
  using Levels = std::vector<CycleLevel<Exec, Real>>;

  /// All teams together have scratch memory for `most_tiles` tiles of RelaxInScratch.
  ProgramWriter(const Exec& exec, int most_tiles) : exec_(exec), most_tiles_(most_tiles) {}

  /// The same bits as step by step. Waits for the execution space, and allocates.
  std::vector<PackedKernel> translate(const std::vector<cycles::Step>& steps, const Levels& levels) {
    using enum cycles::Operation;
    const auto is_next = [&](std::size_t s, cycles::Operation operation) {
      return s < steps.size() && steps[s] == cycles::Step{operation, steps[s - 1].level};
    };
    for (std::size_t s = 0; s < steps.size(); ++s) {
      const auto number = static_cast<std::size_t>(steps[s].level);
      const CycleLevel<Exec, Real>& here = levels[number];
      const Level<Exec, Real>& level = *here.level;
      switch (steps[s].operation) {
        case smooth_zero:
          add_zero(level.u);
          [[fallthrough]];
        case smooth:
          if (is_next(s + 1, residual) && is_next(s + 2, restrict_residual) &&
              add_relax_in_scratch(here, SmoothingOrder::forth, levels[number + 1].level)) {
            s += 2;
          } else {
            add_smoothing(here, SmoothingOrder::forth);
          }
          break;
        case smooth_adjoint:
          add_smoothing(here, SmoothingOrder::back);
          break;
        case residual:
          with_stencil(level, level.u, [&]<class Stencil>(const Stencil& stencil) {
            add_sweep(level, level.u, ResidualBody<Stencil>{stencil, level.r.data(), level.temp.data()});
          });
          break;
        case restrict_residual:
          add_restriction(*here.transfer, level.temp, *levels[number + 1].level);
          break;
        case restrict_b:
          add_restriction(*here.transfer, level.r, *levels[number + 1].level);
          break;
        case prolong_add:
          add_prolongation(here, *levels[number + 1].level, false, true);
          break;
        case start:
          add_prolongation(here, *levels[number + 1].level, here.starts_by_quartic(), false);
          break;
        case solve:
          add_solve(here, BottomSolver<Exec, Real>::reduction_to_rounding);
          break;
        case solve_roughly:
          add_solve(here, BottomSolver<Exec, Real>::default_reduction);
          break;
      }
    }
    place_barriers(kernels_);
    return std::exchange(kernels_, {});
  }

 private:
  static constexpr int cells_of_region = 32;
  /// Cells that are copied or set cost as much as the operator at this part of them.
  static constexpr int cheap = 4;

  /// kernel(i) for i < count, which costs as much as the operator at `cells` cells.
  template <class Kernel>
  void add(const Kernel& kernel, std::int64_t count, std::int64_t cells) {
    if (count > 0) kernels_.push_back(pack<Real>(kernel, count, cells <= cells_of_one_team));
  }

  template <class Body>
  void add_cells(const Body& body, int num_blocks, const Index3& size) {
    const std::int64_t cells = std::int64_t(num_blocks) * size[0] * size[1] * size[2];
    add(CellKernel<Body>(body, size), cells, cells);
  }

  void add_zero(const Vector& x) {
    const auto size = static_cast<std::int64_t>(x.size());
    add(SetZero<Real>{x.data()}, size, size / cheap);
  }

  /// body(region, ...) for the regions of a list, in small parts.
  template <class List, class Body>
  void add_regions(const List& regions, const Body& body) {
    using Region = typename List::non_const_value_type;
    if (regions.extent(0) == 0) return;
    std::shared_ptr<void>& memory = regions_[regions.data()];
    if (!memory) {
      const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), regions);
      const std::vector<Region> all(host.data(), host.data() + host.extent(0));
      memory = std::make_shared<List>(
          ashlar::impl::view_from(exec_, "ashlar::multigrid::regions", cut_regions(all, cells_of_region)));
    }
    const Items<Region> list = items(*std::static_pointer_cast<List>(memory));
    kernels_.push_back(pack<Real>(AtRegions<Items<Region>, Body>{list, body}, list.count,
                                  list.count * cells_of_region <= cheap * cells_of_one_team));
  }

  /// Copies, then what lies beyond the boundary: most of these levels are one box, and have nothing to copy.
  void add_ghosts(const GhostFill<Exec, Real>& fill, const BoxLayout& layout, const Vector& x, BoundaryOrder order) {
    const FillGhosts<Real> body{x.data(), layout, fill.weights(order)};
    add_regions(fill.local(), body);
    add_regions(fill.boundary(), body);
  }

  /// Fills the ghost cells of x, and does what a body does at all cells of the level, or of its colour.
  template <class Body>
  void add_sweep(const Level<Exec, Real>& level, const Vector& x, const Body& body) {
    add_ghosts(level.fill_for_operator, level.layout, x, operator_boundary_order(level));
    if constexpr (has_colour<Body>) {
      using Kernel = SweepKernel<Body>;
      const int dim = level.layout.dim;
      const std::int64_t pairs = std::int64_t(level.num_boxes()) * dim * dim * ((dim + 1) / 2);
      add(Kernel({body}, level.layout, items(level.parities), body.colour), pairs, pairs);
    } else {
      add_cells(ByPlace<WithFluxes<Body>>{{body}, level.layout}, level.num_boxes(), level.box_size());
    }
  }

  void add_smoothing(const CycleLevel<Exec, Real>& here, SmoothingOrder order) {
    if (add_relax_in_scratch(here, order, nullptr)) return;
    const Level<Exec, Real>& level = *here.level;
    with_smoother(here.smoother, [&]<class Kind>(const Kind&) {
      Kind::for_each_sweep(level, level.u, level.r, order,
                           [&](const Vector& x, const auto& body) { add_sweep(level, x, body); });
    });
  }

  /// If RelaxInScratch serves the level, one kernel for a smoothing with Gauss-Seidel; if `coarse` is not null also for
  /// the residual after it, restricted, which only one box receives. Returns whether it does.
  bool add_relax_in_scratch(const CycleLevel<Exec, Real>& here, SmoothingOrder order, const Level<Exec, Real>* coarse) {
    const Level<Exec, Real>& level = *here.level;
    if (here.smoother != Smoother::gsrb || level.discretisation != Discretisation::fv4) return false;
    if (coarse != nullptr && coarse->num_boxes() != 1) return false;
    const RelaxBody<Fv4Stencil<Real>> body{{level.stencil_data(level.u)},
                                           level.r.data(),
                                           level.inverse_diagonal.data(),
                                           level.u.data(),
                                           order == SmoothingOrder::forth ? 0 : 1};
    const BoundaryWeights<Real> weights = level.fill_for_operator.weights(operator_boundary_order(level));
    const auto add_with = [&]<class Tiles>(const Tiles*) {
      using Relax = RelaxInScratch<Real, Tiles>;
      if (!Relax::serves(level.layout, level.num_boxes(), most_tiles_)) return false;
      Relax relax{body, level.layout, weights, GaussSeidel::num_sweeps};
      if (coarse != nullptr) {
        relax.restricted = coarse->r.data();
        relax.coarse_layout = coarse->layout;
      }
      if constexpr (!Tiles::is_one) relax.exchanged = packets_of(level);
      add(relax, 1, level.num_cells());
      return true;
    };
    return add_with(static_cast<const OneScratchTile*>(nullptr)) || add_with(static_cast<const ScratchTiles*>(nullptr));
  }

  void add_restriction(const LevelTransfer<Exec, Real>& transfer, const Vector& from, const Level<Exec, Real>& coarse) {
    add_cells(transfer.restriction(from, coarse.r), transfer.num_blocks(), transfer.block_size());
  }

  /// With the ghost cells that it needs: in one kernel if both levels are one box.
  void add_prolongation(const CycleLevel<Exec, Real>& here, const Level<Exec, Real>& coarse, bool is_quartic,
                        bool adds) {
    const Level<Exec, Real>& fine = *here.level;
    const BoundaryOrder order = is_quartic ? BoundaryOrder::quartic : BoundaryOrder::quadratic;
    const BoundaryWeights<Real> boundary = coarse.fill_for_interpolation.weights(order);
    const auto add_with = [&]<int reach>(const InterpolationWeights<Real, reach>& weights) {
      using Prolong = ProlongInScratch<Real, reach>;
      if (Prolong::serves(coarse.layout, coarse.num_boxes(), fine.num_boxes(), boundary.points)) {
        add(Prolong{coarse.u.data(), fine.u.data(), coarse.layout, fine.layout, boundary, weights}, 1,
            fine.num_cells());
      } else {
        add_ghosts(coarse.fill_for_interpolation, coarse.layout, coarse.u, order);
        add_cells(here.transfer->interpolation(weights, coarse.u, fine.u), here.transfer->num_blocks(),
                  here.transfer->block_size());
      }
    };
    if (is_quartic) {
      add_with(quartic_weights<Real>(adds));
    } else {
      add_with(quadratic_weights<Real>(adds));
    }
  }

  void add_solve(const CycleLevel<Exec, Real>& here, double reduction) {
    const Level<Exec, Real>& level = *here.level;
    add_zero(level.u);
    here.bottom->with_kernel(level, level.u, level.r, reduction, BottomSolver<Exec, Real>::default_iterations,
                             [&](const auto& kernel) { add(kernel, 1, 1); });
  }

  /// Two vectors of packets of zeros, always the same for a level.
  Packet* packets_of(const Level<Exec, Real>& level) {
    Packets& packets = packets_[&level];
    if (packets.size() == 0) {
      packets =
          Packets(Kokkos::view_alloc(exec_, "ashlar::multigrid::packets"), std::size_t(2 * level.layout.volume()));
    }
    return packets.data();
  }

  using Packets = Kokkos::View<Packet*, typename Exec::memory_space>;

  Exec exec_;
  int most_tiles_;
  std::vector<PackedKernel> kernels_;
  std::map<const void*, std::shared_ptr<void>> regions_;  // lists of small regions, by where the whole ones are
  std::map<const void*, Packets> packets_;
};

}  // namespace ashlar::multigrid::impl
