#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/bcsr/copy.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <cmath>
#include <vector>

namespace ashlar::testing {

/// A dense matrix in row-major order, for small oracles.
struct Dense {
  int n;
  std::vector<double> values;

  explicit Dense(int size) : n(size), values(static_cast<std::size_t>(size) * size) {}
  double& operator()(int r, int c) { return values[static_cast<std::size_t>(r) * n + c]; }
  double operator()(int r, int c) const { return values[static_cast<std::size_t>(r) * n + c]; }
};

template <bcsr_matrix Matrix>
auto to_host_matrix(const Matrix& matrix) {
  const Kokkos::DefaultExecutionSpace exec;
  auto host = copy_to<Kokkos::HostSpace>(exec, matrix);
  exec.fence("test: matrix on the host");
  return host;
}

/// Calls visit(block row, block column, k) for every stored block of a matrix in host memory.
template <class HostMatrix, class Visit>
void for_blocks(const HostMatrix& matrix, const Visit& visit) {
  const auto& graph = matrix.graph();
  for (std::int64_t i = 0; i < matrix.num_block_rows(); ++i) {
    for (std::int64_t k = graph.row_ptr()(i); k < graph.row_ptr()(i + 1); ++k) visit(i, graph.col_idx()(k), k);
  }
}

/// Entry (r, c) of the k-th stored block.
template <class HostMatrix>
auto entry(const HostMatrix& matrix, std::int64_t k, int r, int c) {
  const int b = matrix.block_size();
  return matrix.values()(k * b * b + HostMatrix::layout_type::at(r, c, b));
}

template <bcsr_matrix Matrix>
Dense to_dense(const Matrix& matrix) {
  const auto host = to_host_matrix(matrix);
  Dense dense(static_cast<int>(host.num_rows()));
  const int b = host.block_size();
  for_blocks(host, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    for (int r = 0; r < b; ++r) {
      for (int c = 0; c < b; ++c)
        dense(static_cast<int>(i * b + r), static_cast<int>(j * b + c)) += entry(host, k, r, c);
    }
  });
  return dense;
}

/// Overwrites the lower triangle with the Cholesky factor; false where a pivot is not positive.
inline bool cholesky(Dense& a) {
  for (int j = 0; j < a.n; ++j) {
    for (int k = 0; k < j; ++k) a(j, j) -= a(j, k) * a(j, k);
    if (!(a(j, j) > 0)) return false;
    a(j, j) = std::sqrt(a(j, j));
    for (int i = j + 1; i < a.n; ++i) {
      for (int k = 0; k < j; ++k) a(i, j) -= a(i, k) * a(j, k);
      a(i, j) /= a(j, j);
    }
  }
  return true;
}

/// The solution of L L^T x = b, where `factor` is what `cholesky` left.
inline std::vector<double> cholesky_solve(const Dense& factor, std::vector<double> b) {
  for (int i = 0; i < factor.n; ++i) {
    for (int k = 0; k < i; ++k) b[i] -= factor(i, k) * b[k];
    b[i] /= factor(i, i);
  }
  for (int i = factor.n - 1; i >= 0; --i) {
    for (int k = i + 1; k < factor.n; ++k) b[i] -= factor(k, i) * b[k];
    b[i] /= factor(i, i);
  }
  return b;
}

inline std::vector<double> multiply(const Dense& a, const std::vector<double>& x) {
  std::vector<double> y(x.size());
  for (int r = 0; r < a.n; ++r) {
    for (int c = 0; c < a.n; ++c) y[r] += a(r, c) * x[c];
  }
  return y;
}

inline double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace ashlar::testing
