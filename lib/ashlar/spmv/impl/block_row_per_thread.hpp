#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/bcsr/layout.hpp>
#include <ashlar/spmv/block_sizes.hpp>
#include <type_traits>

namespace ashlar::impl {

/// A thread takes a block row, in plain loops: what a GPU falls back to where there is more than the other kernels can
/// count. (On CPUs: BlockRowRanges.) Serves every b up to max_block_size.
template <class Rows>
struct BlockRowPerThread {
  using Scalar = typename Rows::scalar_type;
  static constexpr int capacity = Rows::compiled_block_size > 0 ? Rows::compiled_block_size : max_block_size;

  Rows rows;

  KOKKOS_FUNCTION void operator()(std::int64_t block_row) const {
    const std::int64_t begin = rows.begin(block_row), end = rows.end(block_row);
    if (end - begin > rows.a.longest_row) return;
    const int R = rows.rows_of_block(), C = rows.cols_of_block();
    Scalar sum[capacity];
    for (int row = 0; row < R; ++row) sum[row] = Scalar(0);

    for (std::int64_t k = begin; k < end; ++k) {
      const auto* const block = rows.block(k);
      const Scalar* const x = rows.x_of(k);
      // The inner loop runs along the storage.
      if constexpr (std::is_same_v<typename Rows::layout_type, BlockColumnMajor>) {
        for (int column = 0; column < C; ++column) {
          for (int row = 0; row < R; ++row) sum[row] += rows.entry(block[rows.at(row, column)]) * x[column];
        }
      } else {
        for (int row = 0; row < R; ++row) {
          for (int column = 0; column < C; ++column) sum[row] += rows.entry(block[rows.at(row, column)]) * x[column];
        }
      }
    }
    for (int row = 0; row < R; ++row) rows.store(block_row, row, sum[row]);
  }
};

}  // namespace ashlar::impl
