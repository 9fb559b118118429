#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/bytes.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/blas1/local_space.hpp>
#include <ashlar/multigrid/box_grid.hpp>
#include <ashlar/multigrid/level_vectors.hpp>
#include <ashlar/multigrid/methods.hpp>
#include <ashlar/multigrid/multigrid.hpp>
#include <ashlar/multigrid/operator.hpp>
#include <ashlar/multigrid/smoother.hpp>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace ashlar::multigrid {

// Bytes that cycles move at least: every vector that a pass reads or writes, once, without ghost cells and without
// the coarser level's vectors in transfers. The coarsest level counts as nothing.

/// Bytes of a cell in y := A x, or with f in the residual: x, three coefficients, alpha if there is one; and y.
template <class Real = double>
constexpr std::int64_t apply_bytes(Equation equation) {
  return (equation == Equation::helmholtz ? 6 : 5) * sizeof(Real);
}
template <class Real = double>
constexpr std::int64_t residual_bytes(Equation equation) {
  return apply_bytes<Real>(equation) + sizeof(Real);
}

/// Bytes of a cell in a V-cycle: two smoothings, each of whose sweeps reads x, f, the inverse diagonal and the
/// coefficients, with Chebyshev's from the second on also the previous x, and writes x; the residual; that read by the
/// restriction; u read and written by the interpolation. 744 with Gauss-Seidel for Poisson's equation in double.
template <class Real = double>
std::int64_t cycle_bytes(Smoother smoother, Equation equation) {
  constexpr std::int64_t size = sizeof(Real);
  const std::int64_t sweep = residual_bytes<Real>(equation) + size;
  std::int64_t smoothing = 0;
  with_smoother(smoother, [&]<class Kind>(const Kind&) {
    smoothing = Kind::num_sweeps * sweep + Kind::more_reads * size * (Kind::num_sweeps - 1);
  });
  return 2 * smoothing + residual_bytes<Real>(equation) + 3 * size;
}

/// Cells of this rank.
inline std::int64_t own_cells(const BoxGrid& grid) {
  const std::int64_t dim = grid.box_dim();
  return grid.num_own() * dim * dim * dim;
}

/// Bytes of a V-cycle from the finest level on, on this rank.
template <class Exec, class Real>
std::int64_t v_cycle_bytes(const Multigrid<Exec, Real>& multigrid) {
  std::int64_t cells = 0;
  for (std::size_t l = 0; l + 1 < multigrid.num_levels(); ++l) cells += own_cells(multigrid.grid(l));
  return cells * cycle_bytes<Real>(multigrid.options().smoother, multigrid.options().equation);
}

/// Bytes of solve(Cycle::f): r := f, which each restriction reads; l + 1 V-cycles at level l, whose u an interpolation
/// writes first; at the end the residual, and its norm.
template <class Exec, class Real>
std::int64_t f_cycle_bytes(const Multigrid<Exec, Real>& multigrid) {
  const Equation equation = multigrid.options().equation;
  const std::int64_t v_cycle = cycle_bytes<Real>(multigrid.options().smoother, equation);
  std::int64_t bytes = own_cells(multigrid.grid(0)) * (3 * std::int64_t(sizeof(Real)) + residual_bytes<Real>(equation));
  for (std::size_t l = 0; l + 1 < multigrid.num_levels(); ++l) {
    bytes += own_cells(multigrid.grid(l)) * (std::int64_t(l + 1) * v_cycle + 2 * std::int64_t(sizeof(Real)));
  }
  return bytes;
}

/// The operator of a multigrid's finest level, for the solvers (krylov's linear_operator): y := A x of flat vectors,
/// one value a cell, box after box.
///
/// A is positive definite, and symmetric but for the cells at the boundary, whose ghost cells continue a polynomial of
/// degree 2 or 4; with fv4 also but for differences of coefficients. CG converges nevertheless where it is
/// preconditioned well: by MultigridPreconditioner, not by a diagonal.
///
/// Shapes   x and y have flat_size(multigrid.level(0)) entries, or as many rows: columns are multiplied one after
///          another.
/// Memory   shares the multigrid, and uses its finest level's u and temp: one solve at a time, and level(0).u is not
///          the solution after it. x and y reachable from `exec`.
/// Async    enqueued on `exec`; no fence, no allocation; with other ranks the host waits for their messages.
/// Throws   ArgumentError from the constructor, if the space is not for these vectors; ShapeError from apply().
template <execution_space Exec, class Space = LocalSpace>
class MultigridOperator {
 public:
  /// On one rank.
  explicit MultigridOperator(std::shared_ptr<const Multigrid<Exec>> multigrid) requires std::same_as<Space, LocalSpace>
      : MultigridOperator(multigrid, LocalSpace(flat_size(multigrid->level(0)))) {}
  /// With a space that adds over the entries of all ranks.
  MultigridOperator(std::shared_ptr<const Multigrid<Exec>> multigrid, Space space)
      : multigrid_(std::move(multigrid)), space_(std::move(space)) {
    const Level<Exec>& level = multigrid_->level(0);
    if (space_.num_local() == flat_size(level) && space_.num_global() == level.num_cells()) return;
    throw ArgumentError(
        text("MultigridOperator: a space of ", space_.num_local(), " entries here and ", space_.num_global(),
             " in all"),
        text("the finest level has ", flat_size(level), " cells here and ", level.num_cells(), " in all"),
        "over ranks pass a space that all of them share");
  }

  /// y := A x
  template <class X, class Y>
  void apply(const Exec& exec, const X& x, const Y& y) const {
    if constexpr (X::rank() == 2) {
      for (std::size_t j = 0; j < x.extent(1); ++j) {
        apply(exec, Kokkos::subview(x, Kokkos::ALL, j), Kokkos::subview(y, Kokkos::ALL, j));
      }
    } else {
      const Level<Exec>& level = multigrid_->level(0);
      require_flat_size("MultigridOperator", level, y);
      to_boxes(exec, level, x, level.u);
      multigrid::apply(exec, level, level.u, level.temp);
      from_boxes(exec, level, level.temp, y);
    }
  }

  const Space& space() const { return space_; }
  std::int64_t traffic_bytes() const {
    return flat_size(multigrid_->level(0)) * (apply_bytes(multigrid_->options().equation) + 32);
  }
  /// Whether the host never waits.
  bool is_stream_ordered() const { return is_gpu_v<Exec> && space_.num_local() == space_.num_global(); }
  void check() const { multigrid_->check(); }
  /// What a multigrid's levels hold.
  HeldBytes bytes() const {
    const MultigridOptions& options = multigrid_->options();
    HeldBytes bytes;
    for (std::size_t l = 0; l < multigrid_->num_levels(); ++l) {
      const bool is_apart = is_gpu_v<Exec> && multigrid_->is_on_host(l);
      (is_apart ? bytes.host : bytes.device) +=
          level_bytes(multigrid_->grid(l), options.discretisation, options.equation);
    }
    return bytes;
  }
  std::string explain() const {
    const BoxGrid& grid = multigrid_->level(0).grid;
    const std::size_t levels = multigrid_->num_levels();
    std::size_t on_host = 0;
    for (std::size_t l = 0; l < levels; ++l) on_host += std::size_t(multigrid_->is_on_host(l));
    return text("multigrid's operator ", to_string(multigrid_->options().discretisation), ", ",
                to_string(multigrid_->options().equation), ": ", grid.cells_per_dim(), "^3 cells in ",
                count_text(grid.num_boxes(), "box"), ", ", count_text(std::int64_t(levels), "level"),
                on_host > 0 ? text(", levels ", levels - on_host, " to ", levels - 1, " on the host") : "");
  }

 private:
  std::shared_ptr<const Multigrid<Exec>> multigrid_;
  Space space_;
};

/// One V-cycle from zero as the preconditioner of CG (krylov's preconditioner), for a MultigridOperator of the same
/// multigrid: z is about A^-1 r.
///
/// CG needs a symmetric one. So the smoothing after the coarser level is the adjoint of the smoothing before: with
/// Gauss-Seidel the colours come in reverse order; Chebyshev's polynomial and Jacobi are their own adjoints. The
/// coarsest level is solved to rounding, so that the map is linear. Two deviations remain: A is not quite
/// symmetric at the boundary, and interpolation is more accurate than the transpose of restriction. |<M r, s> - <r, M
/// s>| of random vectors, over the norms that M gives them, is as small as with A itself in place of M: 1e-3 at 32^3
/// cells, and falls as these grow.
///
/// Shapes   r and z have flat_size(multigrid.level(0)) entries, or as many rows: columns are taken one after another.
/// Memory   shares the multigrid and uses its levels' u, r and temp: one solve at a time, and level(0).u is not the
///          solution after it.
/// Async    enqueued on `exec`, no allocation but, at the second apply(), of a graph; the host waits where
///          Multigrid::run_cycle() says.
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
      multigrid_->run_cycle(exec, 0, LevelCycle::symmetric_v);
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
