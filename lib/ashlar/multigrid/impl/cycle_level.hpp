#pragma once

#include <ashlar/base/concepts.hpp>
#include <ashlar/multigrid/bottom_solver.hpp>
#include <ashlar/multigrid/host_levels.hpp>
#include <ashlar/multigrid/level.hpp>
#include <ashlar/multigrid/level_vectors.hpp>
#include <ashlar/multigrid/operator.hpp>
#include <ashlar/multigrid/smoother.hpp>
#include <ashlar/multigrid/transfer.hpp>

namespace ashlar::multigrid::impl {

/// A level of boxes as the steps of a cycle see it (cycles::full_level): x is its u, b its r, and temp holds residuals.
/// Each operation fills the ghost cells that it reads, a smoothing before each sweep: where messages are on their way,
/// cells are computed meanwhile, so that this is no step of its own.
template <execution_space Exec, class Real>
struct CycleLevel {
  using Vector = typename Level<Exec, Real>::Vector;

  const Level<Exec, Real>* level = nullptr;  ///< nullptr: the first level on the host
  Smoother smoother = Smoother::gsrb;
  const LevelTransfer<Exec, Real>* transfer = nullptr;  ///< to the next coarser level, in the same memory
  const HostLevels<Exec, Real>* host = nullptr;         ///< where that is on the host
  const BottomSolver<Exec, Real>* bottom = nullptr;     ///< of the coarsest level

  void smooth_zero(const Exec& exec) const {
    set_zero(exec, level->u);
    smooth(exec);
  }
  void smooth(const Exec& exec) const { multigrid::smooth(exec, *level, smoother, level->u, level->r); }
  void smooth_adjoint(const Exec& exec) const {
    multigrid::smooth(exec, *level, smoother, level->u, level->r, SmoothingOrder::back);
  }
  void residual(const Exec& exec) const { multigrid::residual(exec, *level, level->u, level->r, level->temp); }

  void restrict_residual(const Exec& exec, const CycleLevel& next) const { restrict_from(exec, level->temp, next); }
  void restrict_b(const Exec& exec, const CycleLevel& next) const { restrict_from(exec, level->r, next); }

  void prolong_add(const Exec& exec, const CycleLevel& next) const { prolong(exec, next, false, true); }
  void start(const Exec& exec, const CycleLevel& next) const { prolong(exec, next, starts_by_quartic(), false); }
  /// A start is of the fourth order with fv4. Corrections are as good with less.
  bool starts_by_quartic() const { return level->discretisation == Discretisation::fv4; }

  void solve(const Exec& exec) const { solve_until(exec, BottomSolver<Exec, Real>::reduction_to_rounding); }
  void solve_roughly(const Exec& exec) const { solve_until(exec, BottomSolver<Exec, Real>::default_reduction); }

 private:
  void restrict_from(const Exec& exec, const Vector& from, const CycleLevel& next) const {
    level->timed(exec, Phase::restriction, [&] {
      if (host != nullptr) {
        host->restrict_cells(exec, from, host->first().r);
      } else {
        transfer->restrict_cells(exec, from, next.level->r);
      }
    });
  }

  void prolong(const Exec& exec, const CycleLevel& next, bool is_quartic, bool adds) const {
    const auto fill = [&](const auto& instance, const auto& coarse) {
      coarse.timed(instance, Phase::exchange, [&] {
        coarse.fill_for_interpolation(instance, coarse.u,
                                      is_quartic ? BoundaryOrder::quartic : BoundaryOrder::quadratic);
      });
    };
    const auto interpolate = [&](const auto& between, const auto& coarse) {
      const auto order = is_quartic ? InterpolationOrder::quartic : InterpolationOrder::quadratic;
      level->timed(exec, Phase::interpolation, [&] { between.interpolate(exec, order, adds, coarse.u, level->u); });
    };
    if (host != nullptr) {
      host->timed(exec, [&](const auto& instance) { fill(instance, host->first()); });
      interpolate(*host, host->first());
    } else {
      fill(exec, *next.level);
      interpolate(*transfer, *next.level);
    }
  }

  void solve_until(const Exec& exec, double reduction) const {
    level->timed(exec, Phase::bottom, [&] {
      set_zero(exec, level->u);
      bottom->solve(exec, *level, level->u, level->r, reduction);
    });
  }
};

}  // namespace ashlar::multigrid::impl
