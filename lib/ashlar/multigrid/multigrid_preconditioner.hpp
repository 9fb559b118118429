#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/multigrid/flat_vectors.hpp>
#include <ashlar/multigrid/multigrid.hpp>
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
///          solution after it.
/// Async    enqueued on `exec`, no allocation but, at the second apply(), of a graph; the host waits where
///          Multigrid::v_cycle() says.
/// Throws   ShapeError from apply().
template <execution_space Exec, class Real = double>
class MultigridPreconditioner {
 public:
  explicit MultigridPreconditioner(std::shared_ptr<const Multigrid<Exec, Real>> multigrid)
      : multigrid_(std::move(multigrid)) {}

  /// z := M^-1 r
  template <class R, class Z>
  void apply(const Exec& exec, const R& r, const Z& z) const {
    if constexpr (R::rank() == 2) {
      for (std::size_t j = 0; j < r.extent(1); ++j) {
        apply(exec, Kokkos::subview(r, Kokkos::ALL, j), Kokkos::subview(z, Kokkos::ALL, j));
      }
    } else {
      const Level<Exec, Real>& level = multigrid_->level(0);
      require_flat_size("MultigridPreconditioner", level, z);
      to_boxes(exec, level, r, level.r);
      Kokkos::deep_copy(exec, level.u, 0.0);
      multigrid_->v_cycle(exec, 0, VCycle::symmetric);
      from_boxes(exec, level, level.u, z);
    }
  }

  bool is_identity() const { return false; }
  /// Not said even where the host never waits: solvers would check behind the device, and a V-cycle too many costs more
  /// than a wait.
  bool is_stream_ordered() const { return false; }
  void check() const { multigrid_->check(); }
  std::int64_t traffic_bytes() const {
    constexpr std::int64_t copies = 2 * (sizeof(double) + sizeof(Real));
    return v_cycle_bytes(*multigrid_) + copies * flat_size(multigrid_->level(0));
  }

 private:
  std::shared_ptr<const Multigrid<Exec, Real>> multigrid_;
};

}  // namespace ashlar::multigrid
