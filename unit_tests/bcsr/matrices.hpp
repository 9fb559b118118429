#pragma once

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/bcsr/copy.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/reference/spmv.hpp>
#include <vector>

#include "support/compare.hpp"
#include "support/message.hpp"

namespace ashlar::testing {

using Device = Kokkos::DefaultExecutionSpace;
using DeviceSpace = Device::memory_space;

/// Each scalar type, each layout, each width of index at least once.
using MatrixTypes =
    ::testing::Types<BcsrMatrix<double>, BcsrMatrix<double, BlockRowMajor, std::int32_t, std::int64_t>,
                     BcsrMatrix<float, BlockRowMajor>, BcsrMatrix<float, BlockColumnMajor, std::int64_t, std::int64_t>,
                     BcsrMatrix<Kokkos::complex<double>>, BcsrMatrix<Kokkos::complex<double>, BlockRowMajor>,
                     BcsrMatrix<Kokkos::complex<float>, BlockRowMajor>>;

/// A graph on the device with these very entries, right or wrong.
template <class Graph>
Graph graph_of(std::int64_t num_block_cols, const std::vector<int>& row_ptr, const std::vector<int>& col_idx) {
  using Offset = typename Graph::offset_type;
  using Ordinal = typename Graph::ordinal_type;
  Kokkos::View<Offset*, Kokkos::HostSpace> rows("test::row_ptr", row_ptr.size());
  Kokkos::View<Ordinal*, Kokkos::HostSpace> cols("test::col_idx", col_idx.size());
  for (std::size_t i = 0; i < row_ptr.size(); ++i) rows(i) = row_ptr[i];
  for (std::size_t k = 0; k < col_idx.size(); ++k) cols(k) = col_idx[k];
  using Space = typename Graph::memory_space;
  return {static_cast<Ordinal>(num_block_cols), Kokkos::create_mirror_view_and_copy(Space(), rows),
          Kokkos::create_mirror_view_and_copy(Space(), cols)};
}

/// A matrix on the device with this graph and these values, in the order in which they are stored.
template <class Matrix>
Matrix matrix_of(int block_size, std::int64_t num_block_cols, const std::vector<int>& row_ptr,
                 const std::vector<int>& col_idx, const std::vector<typename Matrix::scalar_type>& values) {
  return Matrix(block_size, graph_of<typename Matrix::graph_type>(num_block_cols, row_ptr, col_idx),
                to_device<typename Matrix::memory_space>(values));
}

template <class Matrix>
auto on_host(const Matrix& matrix) {
  auto copy = copy_to<Kokkos::HostSpace>(Device(), matrix);
  Kokkos::fence("test: copy");
  return copy;
}

/// All entries of a matrix on the device, row after row.
template <class Matrix>
std::vector<typename Matrix::scalar_type> dense(const Matrix& matrix) {
  return reference::dense(on_host(matrix));
}

}  // namespace ashlar::testing
