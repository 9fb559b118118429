#pragma once

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/bcsr/copy.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "support/compare.hpp"

// Small dense matrices, to compare preconditioners by blocks with their textbook definitions.

namespace ashlar::testing {

/// A dense matrix that knows which of its blocks may be other than zero.
struct Dense {
  Dense(int num_blocks, int block_size)
      : n(num_blocks * block_size),
        b(block_size),
        entries(std::size_t(n) * n, 0),
        in_pattern(num_blocks * num_blocks) {}

  double& operator()(int i, int j) { return entries[std::size_t(i) * n + j]; }
  double operator()(int i, int j) const { return entries[std::size_t(i) * n + j]; }
  int blocks() const { return n / b; }
  bool has(int i, int j) const { return in_pattern[std::size_t(i) * blocks() + j] != 0; }

  int n, b;
  std::vector<double> entries;
  std::vector<char> in_pattern;
};

inline Dense operator*(const Dense& x, const Dense& y) {
  Dense product(x.blocks(), x.b);
  for (int i = 0; i < x.n; ++i) {
    for (int k = 0; k < x.n; ++k) {
      for (int j = 0; j < x.n; ++j) product(i, j) += x(i, k) * y(k, j);
    }
  }
  return product;
}

/// x^-1 y, by elimination without pivoting: for matrices that are diagonally dominant.
inline Dense solved(Dense x, Dense y) {
  for (int k = 0; k < x.n; ++k) {
    for (int i = 0; i < x.n; ++i) {
      if (i == k) continue;
      const double factor = x(i, k) / x(k, k);
      for (int j = 0; j < x.n; ++j) {
        x(i, j) -= factor * x(k, j);
        y(i, j) -= factor * y(k, j);
      }
    }
  }
  for (int i = 0; i < x.n; ++i) {
    for (int j = 0; j < x.n; ++j) y(i, j) /= x(i, i);
  }
  return y;
}

/// The entries of x where keep(block row, block column).
template <class Keep>
Dense part(const Dense& x, const Keep& keep) {
  Dense result(x.blocks(), x.b);
  for (int i = 0; i < x.n; ++i) {
    for (int j = 0; j < x.n; ++j) {
      if (keep(i / x.b, j / x.b)) result(i, j) = x(i, j);
    }
  }
  return result;
}

/// Pseudo-random blocks in about half of the places, with a dominant diagonal.
inline Dense random_matrix(int num_blocks, int block_size, bool symmetric) {
  Dense a(num_blocks, block_size);
  const auto numbers = random_vector<double>(std::int64_t(a.entries.size()), 11);
  for (int i = 0; i < num_blocks; ++i) {
    for (int j = 0; j < num_blocks; ++j) {
      const int low = symmetric ? std::min(i, j) : i, high = symmetric ? std::max(i, j) : j;
      a.in_pattern[std::size_t(i) * num_blocks + j] =
          i == j || (7 * low * low + 11 * high * high + 5 * low * high) % 7 < 3;
    }
  }
  for (int i = 0; i < a.n; ++i) {
    for (int j = 0; j < a.n; ++j) {
      const int low = symmetric ? std::min(i, j) : i, high = symmetric ? std::max(i, j) : j;
      if (a.has(i / block_size, j / block_size)) a(i, j) = numbers[std::size_t(low) * a.n + high] + (i == j ? a.n : 0);
    }
  }
  return a;
}

/// The blocks of the pattern as a BCSR matrix, in the memory space of Matrix.
template <class Matrix>
Matrix bcsr_of(const Dense& a) {
  using Space = typename Matrix::memory_space;
  using HostMatrix = typename Matrix::template in_space<Kokkos::HostSpace>;
  using Offset = typename Matrix::offset_type;
  using Ordinal = typename Matrix::ordinal_type;
  using Scalar = typename Matrix::scalar_type;
  std::vector<Offset> row_ptr{0};
  std::vector<Ordinal> col_idx;
  std::vector<Scalar> values;
  for (int i = 0; i < a.blocks(); ++i) {
    for (int j = 0; j < a.blocks(); ++j) {
      if (!a.has(i, j)) continue;
      col_idx.push_back(j);
      const std::size_t first = values.size();
      values.resize(first + std::size_t(a.b) * a.b);
      for (int r = 0; r < a.b; ++r) {
        for (int c = 0; c < a.b; ++c) {
          values[first + std::size_t(Matrix::layout_type::at(r, c, a.b))] = Scalar(a(i * a.b + r, j * a.b + c));
        }
      }
    }
    row_ptr.push_back(Offset(col_idx.size()));
  }
  const auto view = [](const auto& from) {
    using Entry = typename std::remove_cvref_t<decltype(from)>::value_type;
    const Kokkos::View<Entry*, Kokkos::HostSpace> to("test::view", from.size());
    for (std::size_t k = 0; k < from.size(); ++k) to(k) = from[k];
    return to;
  };
  return copy_to<Space>(typename Space::execution_space(),
                        HostMatrix(a.b, {Ordinal(a.blocks()), view(row_ptr), view(col_idx)}, view(values)));
}

/// The matrix of z := M^-1 r, column after column.
template <class Scalar, class Exec = Kokkos::DefaultHostExecutionSpace, class M>
Dense matrix_of(const M& m, const Dense& like) {
  const Exec exec;
  Dense result(like.blocks(), like.b);
  const Kokkos::View<Scalar*, typename Exec::memory_space> r("test::r", like.n), z("test::z", like.n);
  for (int j = 0; j < like.n; ++j) {
    Kokkos::deep_copy(r, Scalar(0));
    Kokkos::deep_copy(z, Scalar(std::nan("")));
    Kokkos::deep_copy(Kokkos::subview(r, j), Scalar(1));
    m.apply(exec, r, z);
    exec.fence();
    const std::vector<Scalar> column = to_host(z);
    for (int i = 0; i < like.n; ++i) result(i, j) = double(column[std::size_t(i)]);
  }
  return result;
}

/// M of M^-1 is the identity.
inline void expect_inverse(const Dense& m, const Dense& inverse, double tolerance) {
  const Dense product = m * inverse;
  for (int i = 0; i < m.n; ++i) {
    for (int j = 0; j < m.n; ++j) EXPECT_NEAR(product(i, j), i == j, tolerance) << i << ", " << j;
  }
}

/// L U of the incomplete factorisation by blocks, the textbook's, on dense matrices.
inline Dense incomplete_product(Dense a) {
  const int n = a.blocks(), b = a.b;
  const auto block = [&](const Dense& from, int i, int j) {
    Dense result(1, b);
    for (int r = 0; r < b; ++r) {
      for (int c = 0; c < b; ++c) result(r, c) = from(i * b + r, j * b + c);
    }
    return result;
  };
  const auto identity = [&] {
    Dense result(1, b);
    for (int r = 0; r < b; ++r) result(r, r) = 1;
    return result;
  };
  for (int k = 0; k < n; ++k) {
    const Dense inverse = solved(block(a, k, k), identity());
    for (int i = k + 1; i < n; ++i) {
      if (!a.has(i, k)) continue;
      const Dense factor = block(a, i, k) * inverse;
      for (int r = 0; r < b; ++r) {
        for (int c = 0; c < b; ++c) a(i * b + r, k * b + c) = factor(r, c);
      }
      for (int j = k + 1; j < n; ++j) {
        if (!a.has(k, j) || !a.has(i, j)) continue;
        const Dense update = factor * block(a, k, j);
        for (int r = 0; r < b; ++r) {
          for (int c = 0; c < b; ++c) a(i * b + r, j * b + c) -= update(r, c);
        }
      }
    }
  }
  Dense lower = part(a, [](int i, int j) { return j < i; });
  for (int i = 0; i < a.n; ++i) lower(i, i) = 1;
  return lower * part(a, [](int i, int j) { return j >= i; });
}

/// M of SSOR by blocks, (D/w + L) (D/w)^-1 (D/w + U) / (2 - w).
inline Dense ssor_matrix(const Dense& a, double w) {
  Dense lower = part(a, [](int i, int j) { return j < i; }), upper = part(a, [](int i, int j) { return j > i; });
  Dense diagonal = part(a, [](int i, int j) { return i == j; });
  for (double& entry : diagonal.entries) entry /= w;
  for (std::size_t k = 0; k < a.entries.size(); ++k) {
    lower.entries[k] += diagonal.entries[k];
    upper.entries[k] += diagonal.entries[k];
  }
  Dense m = lower * solved(diagonal, upper);
  for (double& entry : m.entries) entry /= 2 - w;
  return m;
}

}  // namespace ashlar::testing
