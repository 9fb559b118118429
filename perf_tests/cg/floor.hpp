#pragma once

#include <support/types.hpp>

namespace ashlar::perf {

/// Bytes that an iteration of CG moves at least: each block and its column once, and 76 a row. Those are 4 of a row
/// pointer and nine passes over vectors, in two sweeps that a sum lies between:
///
///   p = r + beta p, x += alpha p of before, q = A p, p.q    reads r, p, x, writes p, x, q
///   r -= alpha q, r.r                                       reads r, q, writes r
inline double iteration_bytes(const Matrix& a) {
  const double b = a.block_size();
  return double(a.num_blocks()) * (8 * b * b + 4) + 76 * double(a.num_rows());
}

/// Bytes besides of a block-Jacobi preconditioner: an inverse block for each block row, and z written and read.
inline double block_jacobi_bytes(const Matrix& a) { return (8.0 * a.block_size() + 16) * double(a.num_rows()); }

/// As iteration_bytes(), of an iteration of GMRES: the matrix once, the basis of (restart + 1) / 2 vectors in the mean
/// three times, six passes over vectors, and at the end of a cycle one more over the basis:
///
///   w = A v, V^T w              reads V, v, writes w
///   w -= V h, V^T w, w.w        reads V, w, writes w
///   v = (w - V h) / ||w||       reads V, w, writes v
inline double gmres_bytes(const Matrix& a, int restart) {
  const double matrix = iteration_bytes(a) - 72 * double(a.num_rows());
  return matrix + 8 * (1.5 * (restart + 1) + 6 + 1) * double(a.num_rows());
}

/// As iteration_bytes(), of an iteration of BiCGStab, with 17 passes over vectors in three sweeps and their sums:
///
///   p = r + beta (p - omega v), v = A p, shadow.v     reads r, p, v, shadow, writes p, v
///   s = r - alpha v, t = A s, t.s, t.t                reads r, v, writes s, t
///   x += alpha p + omega s, r = s - omega t, sums     reads x, p, s, t, shadow, writes x, r
inline double bicgstab_bytes(const Matrix& a) {
  const double matrix = iteration_bytes(a) - 72 * double(a.num_rows());
  return 2 * matrix + 8 * 17 * double(a.num_rows());
}

}  // namespace ashlar::perf
