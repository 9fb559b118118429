#pragma once

#include <optional>
#include <vector>

namespace ashlar::impl {

/// A dense matrix of at most some tens of rows and columns, on the host, row after row.
struct SmallMatrix {
  int rows = 0, cols = 0;
  std::vector<double> entries;

  SmallMatrix() = default;
  SmallMatrix(int num_rows, int num_cols) : rows(num_rows), cols(num_cols), entries(std::size_t(num_rows) * num_cols) {}

  double& operator()(int i, int j) { return entries[std::size_t(i) * cols + j]; }
  double operator()(int i, int j) const { return entries[std::size_t(i) * cols + j]; }
};

SmallMatrix product(const SmallMatrix& a, const SmallMatrix& b);
SmallMatrix transposed(const SmallMatrix& a);
bool all_finite(const SmallMatrix& a);

/// Vectors B = V * coefficients, by V = B * to_basis with orthonormal columns.
struct Basis {
  SmallMatrix to_basis;      ///< columns of B x rank
  SmallMatrix coefficients;  ///< rank x columns of B
  double least = 1;          ///< how much the weakest direction kept has left, of 1, after scaling: a squared length

  int rank() const { return to_basis.cols; }
};

/// The basis of B from its inner products `gram` = B^T M B: orthonormal in the inner product of M. Directions in which
/// the columns of B, scaled to length 1, have no more than what rounding leaves are dropped.
///
/// Nothing where gram is not positive semidefinite.
std::optional<Basis> basis_from_gram(const SmallMatrix& gram);

/// The inverse of a symmetric positive definite matrix; nothing where it is not positive definite.
std::optional<SmallMatrix> inverse_of_spd(const SmallMatrix& a);

}  // namespace ashlar::impl
