#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/multigrid/bicgstab.hpp>
#include <ashlar/multigrid/flat_vectors.hpp>
#include <ashlar/multigrid/multigrid.hpp>
#include <ashlar/multigrid/operator.hpp>
#include <ashlar/multigrid/smoother.hpp>
#include <ashlar/multigrid/traffic.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace ashlar::multigrid {

/// One V-cycle from zero as the preconditioner of CG (krylov's preconditioner), for a MultigridOperator of the same
/// multigrid: z is about A^-1 r.
///
/// CG wants a symmetric one. So what smooths after the coarser level is the adjoint of what smooths before: with
/// Gauss-Seidel the colours come in reverse order; Chebyshev's polynomial and Jacobi are their own adjoints. The
/// coarsest level is solved to rounding, so that the map is linear. What is left is that A is not quite symmetric at
/// the boundary, and that interpolation is more accurate than the transpose of restriction. |<M r, s> - <r, M s>| of
/// random vectors, over the norms that M gives them, is as small as with A itself in place of M: 1e-3 at 32^3 cells,
/// and falls as these grow.
///
/// Shapes   r and z have flat_size(multigrid.level(0)) entries, or as many rows: columns are taken in turn.
/// Memory   shares the multigrid and uses its levels' u, r and temp: one solve at a time, and level(0).u is not the
///          solution after it. Six vectors of the coarsest level of its own.
/// Async    enqueued on `exec`, no allocation; the host waits for the coarsest level's sums, and with other ranks for
///          their messages.
/// Throws   ShapeError from apply().
template <execution_space Exec>
class MultigridPreconditioner {
 public:
  MultigridPreconditioner(const Exec& exec, std::shared_ptr<const Multigrid<Exec>> multigrid)
      : multigrid_(std::move(multigrid)), bottom_(exec, multigrid_->level(multigrid_->num_levels() - 1)) {}

  /// z := M^-1 r
  template <class R, class Z>
  void apply(const Exec& exec, const R& r, const Z& z) const {
    if constexpr (R::rank() == 2) {
      for (std::size_t j = 0; j < r.extent(1); ++j) {
        apply(exec, Kokkos::subview(r, Kokkos::ALL, j), Kokkos::subview(z, Kokkos::ALL, j));
      }
    } else {
      const Level<Exec>& level = multigrid_->level(0);
      require_flat_size("MultigridPreconditioner", level, z);
      to_boxes(exec, level, r, level.r);
      Kokkos::deep_copy(exec, level.u, 0.0);
      v_cycle(exec, 0);
      from_boxes(exec, level, level.u, z);
    }
  }

  bool is_identity() const { return false; }
  /// The host waits for the coarsest level.
  bool is_stream_ordered() const { return false; }
  std::int64_t traffic_bytes() const { return v_cycle_bytes(*multigrid_) + 32 * flat_size(multigrid_->level(0)); }

 private:
  void v_cycle(const Exec& exec, std::size_t number) const {
    const Level<Exec>& level = multigrid_->level(number);
    if (number + 1 == multigrid_->num_levels()) return solve_coarsest(exec, level);
    const Level<Exec>& next = multigrid_->level(number + 1);
    const auto& transfer = multigrid_->transfer(number);
    smooth(exec, level, multigrid_->options().smoother, level.u, level.r);
    residual(exec, level, level.u, level.r, level.temp);
    level.timed(exec, Phase::restriction, [&] { transfer.restrict_cells(exec, level.temp, next.r); });
    Kokkos::deep_copy(exec, next.u, 0.0);
    v_cycle(exec, number + 1);
    next.timed(exec, Phase::exchange, [&] { next.fill_for_interpolation(exec, next.u, BoundaryOrder::quadratic); });
    level.timed(exec, Phase::interpolation,
                [&] { transfer.interpolate(exec, InterpolationOrder::quadratic, true, next.u, level.u); });
    smooth_back(exec, level);
  }

  /// The adjoint of smooth().
  void smooth_back(const Exec& exec, const Level<Exec>& level) const {
    if (multigrid_->options().smoother != Smoother::gsrb) {
      return smooth(exec, level, multigrid_->options().smoother, level.u, level.r);
    }
    typename Level<Exec>::Vector now = level.u, next = level.temp;
    for (int s = num_sweeps; s-- > 0;) gauss_seidel_half_sweep(exec, level, now, next, level.r, s % 2);
  }

  void solve_coarsest(const Exec& exec, const Level<Exec>& level) const {
    if (level.num_boxes() == 0) return;
    level.timed(exec, Phase::bottom, [&] {
      Kokkos::deep_copy(exec, level.u, 0.0);
      bottom_.solve(exec, level, level.u, level.r, 1e-12);
    });
  }

  std::shared_ptr<const Multigrid<Exec>> multigrid_;
  BottomSolver<Exec> bottom_;
};

}  // namespace ashlar::multigrid
