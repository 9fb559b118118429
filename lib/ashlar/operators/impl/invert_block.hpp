#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/scalar.hpp>

namespace ashlar::impl {

/// Inverts the dense matrix `a` of n x n in place, entry (i, j) at a[i + j*n]: Gauss-Jordan elimination with row
/// pivoting; `pivot` is scratch of n entries. Returns false where a pivot is zero or not finite; `a` is then spoilt.
///
/// Either storage order serves: the inverse of the transpose is the transpose of the inverse.
template <class Scalar>
KOKKOS_INLINE_FUNCTION bool invert_block(Scalar* a, int* pivot, int n) {
  const auto at = [=](int i, int j) -> Scalar& { return a[i + j * n]; };
  for (int k = 0; k < n; ++k) {
    int largest = k;
    for (int i = k + 1; i < n; ++i) {
      if (abs_squared(at(i, k)) > abs_squared(at(largest, k))) largest = i;
    }
    pivot[k] = largest;
    if (largest != k) {
      for (int j = 0; j < n; ++j) {
        const Scalar held = at(k, j);
        at(k, j) = at(largest, j);
        at(largest, j) = held;
      }
    }
    const Scalar inverse = Scalar(1) / at(k, k);
    if (at(k, k) == Scalar(0) || !is_finite(at(k, k)) || !is_finite(inverse)) return false;
    at(k, k) = Scalar(1);
    for (int j = 0; j < n; ++j) at(k, j) *= inverse;
    for (int i = 0; i < n; ++i) {
      if (i == k) continue;
      const Scalar factor = at(i, k);
      at(i, k) = Scalar(0);
      for (int j = 0; j < n; ++j) at(i, j) -= factor * at(k, j);
    }
  }
  // The rows were exchanged; the inverse needs its columns exchanged back, last first.
  for (int k = n - 1; k >= 0; --k) {
    if (pivot[k] == k) continue;
    for (int i = 0; i < n; ++i) {
      const Scalar held = at(i, k);
      at(i, k) = at(i, pivot[k]);
      at(i, pivot[k]) = held;
    }
  }
  return true;
}

}  // namespace ashlar::impl
