#pragma once

#include <ashlar/bcsr/build_by_rows.hpp>
#include <ashlar/bcsr/copy.hpp>
#include <ashlar/krylov/cg.hpp>
#include <ashlar/krylov/concepts.hpp>
#include <ashlar/operators/bcsr_operator.hpp>
#include <ashlar/operators/block_jacobi_preconditioner.hpp>
#include <ashlar/operators/jacobi_preconditioner.hpp>
#include <cmath>
#include <cstdint>
#include <support/compare.hpp>
#include <vector>

// Small systems whose spectrum is known.

namespace ashlar::testing {

using Exec = Kokkos::DefaultExecutionSpace;
using Space = Exec::memory_space;

/// The block-diagonal matrix whose entries are entry(i, r, c): enough to build any small spectrum.
template <class S, class Entry>
BcsrMatrix<S> block_diagonal(int n, int b, const Entry& entry) {
  using Host = typename BcsrMatrix<S>::template in_space<Kokkos::HostSpace>;
  Kokkos::View<std::int32_t*, Kokkos::HostSpace> row_ptr("row_ptr", n + 1), col_idx("col_idx", n);
  typename Host::values_view values("values", n * b * b);
  for (int i = 0; i < n; ++i) {
    row_ptr(i + 1) = i + 1;
    col_idx(i) = i;
    for (int r = 0; r < b; ++r) {
      for (int c = 0; c < b; ++c) values(i * b * b + BlockColumnMajor::at(r, c, b)) = entry(i, r, c);
    }
  }
  const auto device = copy_to<Space>(Exec(), Host(b, {n, row_ptr, col_idx}, values));
  Exec().fence();
  return device;
}

template <class S>
BcsrMatrix<S> diagonal(const std::vector<S>& entries) {
  return block_diagonal<S>(static_cast<int>(entries.size()), 1, [&](int i, int, int) { return entries[i]; });
}

/// The tridiagonal matrix of -1, 2, -1: its spectrum is known.
struct Laplacian1d {
  int n;
  KOKKOS_FUNCTION int operator()(std::int32_t i) const { return 1 + (i > 0) + (i < n - 1); }
  template <class Row>
  KOKKOS_FUNCTION void operator()(std::int32_t i, const Row& row) const {
    int k = 0;
    for (std::int32_t j = i - 1; j <= i + 1; ++j) {
      if (j < 0 || j >= n) continue;
      row.column(k) = j;
      row.value(k++, 0, 0) = i == j ? 2.0 : -1.0;
    }
  }
};

/// L D L^T with D = diag(1, d, d, ...) and L of 1 on, -1 below the diagonal. For b = e_0 the residual of step k of CG
/// is e_k, to the last bit where d is a power of 2, and step k lowers the energy of the error by 1/D_kk.
struct ChainRows {
  int n;
  double d;
  KOKKOS_FUNCTION double link(std::int32_t i) const { return i == 0 ? 1 : d; }
  KOKKOS_FUNCTION int operator()(std::int32_t i) const { return 1 + (i > 0) + (i < n - 1); }
  template <class Row>
  KOKKOS_FUNCTION void operator()(std::int32_t i, const Row& row) const {
    int k = 0;
    for (std::int32_t j = i - 1; j <= i + 1; ++j) {
      if (j < 0 || j >= n) continue;
      row.column(k) = j;
      row.value(k++, 0, 0) = i == j ? link(i) + (i > 0 ? link(i - 1) : 0) : -link(i < j ? i : j);
    }
  }
};

inline BcsrMatrix<double> chain(int n, double d) {
  return build_by_rows<BcsrMatrix<double>>(Exec(), 1, n, n, ChainRows{n, d}, ChainRows{n, d});
}

inline BcsrMatrix<double> laplacian_1d(int n) {
  return build_by_rows<BcsrMatrix<double>>(Exec(), 1, n, n, Laplacian1d{n}, Laplacian1d{n});
}

}  // namespace ashlar::testing
