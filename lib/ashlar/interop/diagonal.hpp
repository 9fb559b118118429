#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/diagonal.hpp>
#include <ashlar/interop/column_map_operator.hpp>
#include <cstdint>

namespace ashlar {

/// The diagonal blocks of this rank's rows as a square matrix, for Jacobi and block-Jacobi preconditioners:
///
///   const BlockJacobiPreconditioner preconditioner(exec, diagonal_blocks(exec, a));
///
/// The diagonal block of block row i is in the column that reads x's own entry i, wherever the column map has it: own
/// columns may be in any order among ghost columns. A row without such a block is empty. Later changes of the matrix'
/// values are not followed.
///
/// Memory   allocates the result, a block and two numbers for each block row, and a number for each while it works.
/// Async    waits for `exec`. Not collective: what throws on one rank does not throw on the others.
/// Throws   ShapeError if the rank has another number of rows than of entries of x; StructureError if a row has no
///          diagonal block and its columns do not ascend.
template <bcsr_matrix Matrix, execution_space Exec>
Matrix diagonal_blocks(const Exec& exec, const ColumnMapOperator<Matrix, Exec>& a) {
  const auto own_columns = a.own_columns(exec);
  if (std::int64_t(own_columns.extent(0)) != std::int64_t(a.matrix().num_block_rows())) {
    throw ShapeError(text("diagonal_blocks: ", a.matrix().num_block_rows(), " block rows on a rank with ",
                          own_columns.extent(0), " block entries of x"),
                     "only a square operator has a diagonal", "partition rows and x alike");
  }
  Matrix result = diagonal_blocks(exec, a.matrix(), own_columns);
  exec.fence("ashlar::diagonal_blocks: own columns may go");
  return result;
}

}  // namespace ashlar
