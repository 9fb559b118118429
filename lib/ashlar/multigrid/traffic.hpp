#pragma once

#include <ashlar/multigrid/box_grid.hpp>
#include <ashlar/multigrid/methods.hpp>
#include <ashlar/multigrid/multigrid.hpp>
#include <ashlar/multigrid/smoother.hpp>
#include <cstddef>
#include <cstdint>

/// Bytes that cycles move at least: every vector that a pass reads or writes, once, without ghost cells and without
/// the coarser level's vectors in transfers. The coarsest level counts as nothing.
namespace ashlar::multigrid {

/// Of a cell, y := A x, or with f besides its residual: x, three coefficients, alpha if there is one; and y.
template <class Real = double>
constexpr std::int64_t apply_bytes(Equation equation) {
  return (equation == Equation::helmholtz ? 6 : 5) * sizeof(Real);
}
template <class Real = double>
constexpr std::int64_t residual_bytes(Equation equation) {
  return apply_bytes<Real>(equation) + sizeof(Real);
}

/// Of a cell, in a V-cycle: two smoothings, each of whose sweeps reads x, f, the inverse diagonal and the coefficients,
/// with Chebyshev's from the second on also the x before, and writes x; the residual; that read by the restriction; u
/// read and written by the interpolation. 744 with Gauss-Seidel for Poisson's equation in double.
template <class Real = double>
constexpr std::int64_t visit_bytes(Smoother smoother, Equation equation) {
  constexpr std::int64_t size = sizeof(Real);
  const std::int64_t sweep = residual_bytes<Real>(equation) + size;
  const std::int64_t smoothing = num_sweeps * sweep + (smoother == Smoother::chebyshev ? size * (num_sweeps - 1) : 0);
  return 2 * smoothing + residual_bytes<Real>(equation) + 3 * size;
}

/// Cells of this rank.
inline std::int64_t own_cells(const BoxGrid& grid) {
  const std::int64_t dim = grid.box_dim();
  return grid.num_own() * dim * dim * dim;
}

/// Of a V-cycle from the finest level on, on this rank.
template <class Exec, class Real>
std::int64_t v_cycle_bytes(const Multigrid<Exec, Real>& multigrid) {
  std::int64_t cells = 0;
  for (std::size_t l = 0; l + 1 < multigrid.num_levels(); ++l) cells += own_cells(multigrid.grid(l));
  return cells * visit_bytes<Real>(multigrid.options().smoother, multigrid.options().equation);
}

/// Of solve(Cycle::f): r := f, which each restriction reads; l + 1 visits of level l, which starts with what the
/// interpolation writes; at the end the residual, and its norm.
template <class Exec, class Real>
std::int64_t f_cycle_bytes(const Multigrid<Exec, Real>& multigrid) {
  const Equation equation = multigrid.options().equation;
  const std::int64_t visit = visit_bytes<Real>(multigrid.options().smoother, equation);
  std::int64_t bytes = own_cells(multigrid.grid(0)) * (3 * std::int64_t(sizeof(Real)) + residual_bytes<Real>(equation));
  for (std::size_t l = 0; l + 1 < multigrid.num_levels(); ++l) {
    bytes += own_cells(multigrid.grid(l)) * (std::int64_t(l + 1) * visit + 2 * std::int64_t(sizeof(Real)));
  }
  return bytes;
}

}  // namespace ashlar::multigrid
