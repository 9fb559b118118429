#pragma once

#include <ashlar/solve/solve.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ashlar::testing {

/// The arrays of a CSR matrix.
template <class Offset, class Ordinal, class Scalar>
struct Arrays {
  std::vector<Offset> row_ptr{0};
  std::vector<Ordinal> col_idx;
  std::vector<Scalar> values;

  CsrView<Offset, Ordinal, Scalar> view() const { return {row_ptr, col_idx, values}; }

  std::vector<Scalar> times(const std::vector<Scalar>& x) const {
    std::vector<Scalar> y(row_ptr.size() - 1);
    for (std::size_t i = 0; i < y.size(); ++i) {
      for (Offset k = row_ptr[i]; k < row_ptr[i + 1]; ++k) y[i] += values[k] * x[col_idx[k]];
    }
    return y;
  }
};

/// Tridiagonal; the diagonal alternates between two numbers.
template <class Offset = std::int32_t, class Ordinal = std::int32_t, class Scalar = double>
Arrays<Offset, Ordinal, Scalar> line(int n, double below, double even, double odd, double above) {
  Arrays<Offset, Ordinal, Scalar> a;
  for (int i = 0; i < n; ++i) {
    const double entries[] = {below, i % 2 == 0 ? even : odd, above};
    for (int j = i - 1; j <= i + 1; ++j) {
      if (j < 0 || j >= n) continue;
      a.col_idx.push_back(static_cast<Ordinal>(j));
      a.values.push_back(static_cast<Scalar>(entries[j - i + 1]));
    }
    a.row_ptr.push_back(static_cast<Offset>(a.values.size()));
  }
  return a;
}

template <class Scalar = double>
std::vector<Scalar> wave(int n) {
  std::vector<Scalar> x(n);
  for (int i = 0; i < n; ++i) x[i] = static_cast<Scalar>(std::sin(0.3 * i) + 2);
  return x;
}

}  // namespace ashlar::testing
