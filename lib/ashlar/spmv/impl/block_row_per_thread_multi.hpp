#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/spmv/block_sizes.hpp>
#include <ashlar/spmv/impl/vectors.hpp>
#include <cstdint>

namespace ashlar::impl {

/// BlockRowPerThread for several vectors: a thread takes a block row, one panel of vectors after the other. (On CPUs:
/// BlockRowRanges.)
template <class Rows, int Panel, bool Interleaved>
struct BlockRowPerThreadMulti {
  using Scalar = typename Rows::scalar_type;

  Rows rows;
  MultiVectors<Scalar> vectors;

  KOKKOS_FUNCTION void operator()(std::int64_t block_row) const {
    const std::int64_t begin = rows.begin(block_row), end = rows.end(block_row);
    if (end - begin > rows.a.longest_row) return;
    const int panels = (vectors.num_vectors + Panel - 1) / Panel;
    for (int panel = 0; panel < panels; ++panel) multiply(block_row, begin, end, panel);
  }

 private:
  KOKKOS_FUNCTION void multiply(std::int64_t block_row, std::int64_t begin, std::int64_t end, int panel) const {
    const int R = rows.rows_of_block(), C = rows.cols_of_block();
    const int first = panel * Panel, rest = vectors.num_vectors - first, count = rest < Panel ? rest : Panel;
    const VectorPanel<Scalar, Panel, Interleaved> x(vectors.x, first, count);
    Scalar sum[max_block_size][Panel];
    for (int row = 0; row < R; ++row) {
      for (int v = 0; v < Panel; ++v) sum[row][v] = Scalar(0);
    }
    for (std::int64_t k = begin; k < end; ++k) {
      const auto* const block = rows.block(k);
      const std::int64_t col = std::int64_t(rows.a.col_idx[k]) * C;
      for (int column = 0; column < C; ++column) {
        Scalar x_of_entry[Panel];
        x.load(col + column, x_of_entry);
        for (int row = 0; row < R; ++row) {
          const Scalar value = rows.entry(block[rows.at(row, column)]);
          for (int v = 0; v < Panel; ++v) sum[row][v] += value * x_of_entry[v];
        }
      }
    }
    for (int row = 0; row < R; ++row) {
      for (int v = 0; v < count; ++v) {
        vectors.store(rows.a.alpha, sum[row][v], rows.a.beta, block_row * R + row, first + v);
      }
    }
  }
};

}  // namespace ashlar::impl
