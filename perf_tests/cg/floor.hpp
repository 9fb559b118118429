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

}  // namespace ashlar::perf
