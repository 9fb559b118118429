#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace ashlar::reference::impl {

/// call(row, column, value) for each entry that A stores, block row after block row, and in a block row after row.
///
/// Memory   A reachable from the host.
template <class Matrix, class Call>
void for_each_entry(const Matrix& A, const Call& call) {
  static_assert(Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Matrix::memory_space>::accessible,
                "ashlar::reference: copy the matrix to the host first (copy_to)");
  const auto [R, C] = A.block_shape();
  for (std::int64_t i = 0; i < A.num_block_rows(); ++i) {
    for (std::int64_t k = A.graph().row_ptr()(i); k < std::int64_t(A.graph().row_ptr()(i + 1)); ++k) {
      const std::int64_t j = A.graph().col_idx()(k);
      for (int r = 0; r < R; ++r) {
        for (int c = 0; c < C; ++c) {
          call(i * R + r, j * C + c, A.values()(k * R * C + Matrix::layout_type::at(r, c, R, C)));
        }
      }
    }
  }
}

}  // namespace ashlar::reference::impl

namespace ashlar::reference {

/// All num_rows() x num_cols() entries, row after row: for matrices small enough to read.
///
/// Memory   A reachable from the host.
template <bcsr_matrix Matrix>
std::vector<typename Matrix::scalar_type> dense(const Matrix& A) {
  using Scalar = typename Matrix::scalar_type;
  std::vector<Scalar> entries(A.num_rows() * A.num_cols(), Scalar(0));
  impl::for_each_entry(A, [&](std::int64_t row, std::int64_t column, const Scalar& value) {
    entries[row * A.num_cols() + column] = value;
  });
  return entries;
}

namespace impl {

template <class Scalar>
void check_lengths(const char* who, std::int64_t rows, std::int64_t cols, const std::vector<Scalar>& x,
                   const std::vector<Scalar>& y) {
  if (std::int64_t(x.size()) != cols || std::int64_t(y.size()) != rows) {
    throw ShapeError(text(who, ": x of length ", x.size(), " and y of length ", y.size()),
                     text("the operator is ", rows, " x ", cols), "pass vectors of these lengths");
  }
}

// y := beta*y, where 0 is stronger than NaN.
template <class Scalar>
void scale(Scalar beta, std::vector<Scalar>& y) {
  for (Scalar& entry : y) entry = beta == Scalar(0) ? Scalar(0) : beta * entry;
}

}  // namespace impl

/// y := alpha*A*x + beta*y, entry by entry: what the kernels are measured against.
///
/// Shapes   A is (block_rows*R) x (block_cols*C), of blocks of R x C.
/// Memory   A reachable from the host.
/// Async    no: runs on the calling thread.
/// beta==0  y is overwritten: NaN in y does not spread. alpha==0: A and x are not read, as BLAS has it.
/// Throws   ShapeError.
template <bcsr_matrix Matrix, class Scalar = typename Matrix::scalar_type>
void spmv(std::type_identity_t<Scalar> alpha, const Matrix& A, const std::vector<Scalar>& x,
          std::type_identity_t<Scalar> beta, std::vector<Scalar>& y) {
  impl::check_lengths("reference::spmv", A.num_rows(), A.num_cols(), x, y);
  impl::scale(beta, y);
  if (alpha == Scalar(0)) return;
  impl::for_each_entry(
      A, [&](std::int64_t row, std::int64_t column, const auto& value) { y[row] += alpha * value * x[column]; });
}

/// y := alpha*A^T*x + beta*y, entry by entry. A is transposed, not conjugated.
///
/// Shapes   x has A's rows, y its columns. All else as in reference::spmv.
template <bcsr_matrix Matrix, class Scalar = typename Matrix::scalar_type>
void spmv_transpose(std::type_identity_t<Scalar> alpha, const Matrix& A, const std::vector<Scalar>& x,
                    std::type_identity_t<Scalar> beta, std::vector<Scalar>& y) {
  impl::check_lengths("reference::spmv_transpose", A.num_cols(), A.num_rows(), x, y);
  impl::scale(beta, y);
  if (alpha == Scalar(0)) return;
  impl::for_each_entry(
      A, [&](std::int64_t row, std::int64_t column, const auto& value) { y[column] += alpha * value * x[row]; });
}

}  // namespace ashlar::reference
