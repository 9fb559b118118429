#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/copy.hpp>
#include <ashlar/bcsr/csr.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace ashlar {

struct ToCsrOptions {
  /// Leave out entries whose value is zero, such as those that only fill up a block.
  bool drop_zeros = false;
};

/// The matrix as CSR on the host: every value of every block, or with drop_zeros only those that are not zero.
///
/// Memory   allocates the result, and on the host a copy of a matrix that lies elsewhere.
/// Async    waits for `exec`.
/// Throws   ShapeError where the columns do not fit the 32 bits that CsrMatrix has for them.
template <execution_space Exec, bcsr_matrix Matrix>
CsrMatrix<typename Matrix::scalar_type> to_csr(const Exec& exec, const Matrix& matrix, ToCsrOptions options = {}) {
  using Scalar = typename Matrix::scalar_type;
  using Layout = typename Matrix::layout_type;
  constexpr std::int64_t largest = std::int64_t(std::numeric_limits<std::int32_t>::max()) + 1;
  if (matrix.num_cols() > largest) {
    throw ShapeError(text("to_csr: ", matrix.num_cols(), " columns"), text("CsrMatrix counts to ", largest),
                     "keep the matrix in blocks");
  }
  const auto on_host = copy_to<Kokkos::HostSpace>(exec, matrix);
  exec.fence("ashlar::to_csr: the host's copy");

  const int R = matrix.block_shape().rows, C = matrix.block_shape().cols;
  const std::int64_t block_values = matrix.block_shape().num_values();
  const auto row_ptr = on_host.graph().row_ptr();
  const auto col_idx = on_host.graph().col_idx();
  const Scalar* values = on_host.values().data();
  const auto wanted = [drop = options.drop_zeros](const Scalar& a) { return !drop || !(a == Scalar(0)); };
  const auto host = impl::host_execution(exec);
  const Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace, Kokkos::IndexType<std::int64_t>> block_rows(
      host, 0, matrix.num_block_rows());

  CsrMatrix<Scalar> csr{matrix.num_rows(), matrix.num_cols(), {}, {}, {}};
  csr.row_ptr.assign(csr.num_rows + 1, 0);
  Kokkos::parallel_for("ashlar::to_csr[count]", block_rows, [=, counts = csr.row_ptr.data() + 1](std::int64_t i) {
    for (std::int64_t k = row_ptr(i); k < std::int64_t(row_ptr(i + 1)); ++k) {
      for (int r = 0; r < R; ++r) {
        for (int c = 0; c < C; ++c) counts[i * R + r] += wanted(values[k * block_values + Layout::at(r, c, R, C)]);
      }
    }
  });
  host.fence("ashlar::to_csr: counts");
  for (std::int64_t i = 0; i < csr.num_rows; ++i) csr.row_ptr[i + 1] += csr.row_ptr[i];

  csr.col_idx.resize(csr.row_ptr.back());
  csr.values.resize(csr.row_ptr.back());
  Kokkos::parallel_for("ashlar::to_csr[fill]", block_rows, [=, &csr](std::int64_t i) {
    for (int r = 0; r < R; ++r) {
      std::int64_t next = csr.row_ptr[i * R + r];
      for (std::int64_t k = row_ptr(i); k < std::int64_t(row_ptr(i + 1)); ++k) {
        for (int c = 0; c < C; ++c) {
          const Scalar& value = values[k * block_values + Layout::at(r, c, R, C)];
          if (!wanted(value)) continue;
          csr.col_idx[next] = static_cast<std::int32_t>(std::int64_t(col_idx(k)) * C + c);
          csr.values[next++] = value;
        }
      }
    }
  });
  host.fence("ashlar::to_csr: values");
  return csr;
}

}  // namespace ashlar
