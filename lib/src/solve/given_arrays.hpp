#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/solve/solve.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ashlar::impl {

/// The structure of a caller's matrix, in his order: blocks of one size, which is 1 for CSR.
struct GivenStructure {
  int block_size = 1;
  BlockLayout layout = BlockLayout::row_major;
  std::vector<std::int64_t> row_ptr;
  std::vector<std::int32_t> col_idx;
  bool is_ascending = true;  ///< the columns of each row ascend without repeats

  std::int64_t num_block_rows() const { return std::int64_t(row_ptr.size()) - 1; }
  std::size_t num_values() const { return col_idx.size() * std::size_t(block_size) * std::size_t(block_size); }
};

/// A copy of the caller's structure. Throws what solve() says of arrays.
template <class Offset, class Ordinal>
GivenStructure given_structure(int block_size, std::span<const Offset> row_ptr, std::span<const Ordinal> col_idx,
                               std::size_t num_values, BlockLayout layout);

/// The matrix, in blocks of `block_size`, or for 0 of the size that suits best. Waits for `exec`.
template <class Scalar>
BcsrMatrix<Scalar> matrix_of(const Kokkos::DefaultExecutionSpace& exec, GivenStructure& given,
                             std::span<const Scalar> values, int block_size);

/// The values of `matrix`, which matrix_of() made of `given`, become the caller's. Waits.
template <class Scalar>
void set_values(const GivenStructure& given, std::span<const Scalar> values,
                const typename BcsrMatrix<Scalar>::template in_space<Kokkos::HostSpace>& matrix);

}  // namespace ashlar::impl
