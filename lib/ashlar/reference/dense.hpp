#pragma once

#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/reference/impl/entries.hpp>
#include <cstdint>
#include <vector>

namespace ashlar::reference {

/// All num_rows() x num_cols() entries, row after row: for matrices small enough to look at.
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

}  // namespace ashlar::reference
