#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/bcsr/diagonal.hpp>
#include <ashlar/distributed/impl/rows_on_device.hpp>
#include <ashlar/distributed/operator.hpp>
#include <type_traits>

namespace ashlar {

/// The diagonal blocks of this rank's rows, as a matrix on the device, wherever the rows are: for Jacobi and
/// block-Jacobi preconditioners. A block row that has none is empty.
///
/// Memory   allocates the result, a block and two numbers for each block row; where the rank streams, on the host, too.
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
