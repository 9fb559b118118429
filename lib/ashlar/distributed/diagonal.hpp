#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/bcsr/diagonal.hpp>
#include <ashlar/distributed/impl/host_lists.hpp>
#include <ashlar/distributed/matrix.hpp>
#include <ashlar/distributed/operator.hpp>
#include <type_traits>

namespace ashlar {

/// The diagonal blocks of this rank's rows, for Jacobi and block-Jacobi preconditioners. A block row without a diagonal
/// block is empty.
///
/// Memory   allocates the result where the matrix is.
/// Async    waits for `exec`. Not collective.
/// Throws   ArgumentError if rows and columns have different partitions.
template <execution_space Exec, bcsr_matrix Matrix>
Matrix diagonal_blocks(const Exec& exec, const DistributedMatrix<Matrix>& a) {
  if (!(a.row_map() == a.column_map())) {
    throw ArgumentError("diagonal_blocks: a matrix whose rows have another partition than its columns",
                        "a rank has no diagonal blocks of its own", "make it with one map for both");
  }
  return diagonal_blocks(exec, a.local());
}

/// The same of an operator. The result is on the device, even if the rank streams its rows.
///
/// Memory   allocates the result, and a block and two numbers for each block row; if the rank streams, also on the
///          host.
/// Async    waits for `exec`. Not collective.
template <bcsr_matrix Matrix, execution_space Exec>
Matrix diagonal_blocks(const Exec& exec, const DistributedOperator<Matrix, Exec>& a) {
  const auto found = [&](const auto& matrix) {
    const auto where = impl::instance_at<std::decay_t<decltype(matrix)>>(exec);
    const auto diagonal = diagonal_blocks(where, matrix);
    where.fence("ashlar::diagonal_blocks: where the rows are");
    return impl::on_device<Matrix>(exec, diagonal);
  };
  return a.streamed() ? found(a.streamed()->matrix()) : found(a.own_matrix());
}

}  // namespace ashlar
