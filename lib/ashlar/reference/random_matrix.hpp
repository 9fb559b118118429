#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <concepts>
#include <cstddef>
#include <cstdint>

namespace ashlar::reference {

/// A small generator whose numbers are the same with every compiler and library (std's distributions are not).
///
/// Source   the SplitMix64 sequence of Steele, Lea & Flood 2014.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t bits() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  /// One of 0 .. count - 1.
  std::int64_t below(std::int64_t count) { return static_cast<std::int64_t>(bits() % std::uint64_t(count)); }
  /// In [-1, 1], to the last bit of a double; real and imaginary part each.
  template <scalar Scalar>
  Scalar value() {
    if constexpr (is_complex_v<Scalar>) {
      const auto re = value<real_t<Scalar>>();
      return Scalar(re, value<real_t<Scalar>>());
    } else {
      return static_cast<Scalar>(static_cast<double>(bits() >> 11) * 0x1p-52 - 1.0);
    }
  }

 private:
  std::uint64_t state_;
};

/// How long the rows of a random matrix are, and which of them are special.
struct RandomRows {
  /// Blocks in a row, at least and at most; never more than there are block columns.
  std::int64_t min_blocks = 1;
  std::int64_t max_blocks = 8;
  /// Every so many-th row is empty, the first one included; 0: none is.
  std::int64_t empty_every = 0;
  /// This row holds all block columns; -1: none does.
  std::int64_t full_row = -1;
};

/// A random matrix on the host whose block row i has row_length(i) blocks. The same arguments give the same matrix.
///
/// Columns are spread: one in each of row_length(i) equal parts of the row. Values lie in [-1, 1].
///
/// Memory   allocates the matrix in host memory, whatever memory space Matrix names: copy_to brings it there.
/// Throws   ShapeError for a row longer than there are block columns, or more blocks than the offset type counts.
template <bcsr_matrix Matrix, std::invocable<std::int64_t> RowLength>
typename Matrix::template in_space<Kokkos::HostSpace> random_bcsr(std::int64_t num_block_rows,
                                                                  std::int64_t num_block_cols,
                                                                  const BlockShape& block_shape,
                                                                  const RowLength& row_length, std::uint64_t seed = 1) {
  using Scalar = typename Matrix::scalar_type;
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;
  using Kokkos::view_alloc;
  using Kokkos::WithoutInitializing;

  Kokkos::View<Offset*, Kokkos::HostSpace> row_ptr(view_alloc(WithoutInitializing, "ashlar::row_ptr"),
                                                   std::size_t(num_block_rows) + 1);
  std::int64_t num_blocks = 0;
  row_ptr(0) = 0;
  for (std::int64_t i = 0; i < num_block_rows; ++i) {
    const std::int64_t length = row_length(i);
    if (length < 0 || length > num_block_cols) {
      throw ShapeError(text("random_bcsr: block row ", i, " of ", length, " blocks"),
                       text("a row has 0 to ", num_block_cols, " of them"), "change the length of that row");
    }
    num_blocks += length;
    if (num_blocks > most_blocks<Offset>) {
      throw ShapeError(text("random_bcsr: ", num_blocks, " blocks in the first ", i + 1, " rows"),
                       text("the offset type counts to ", most_blocks<Offset>),
                       "use a matrix type with std::int64_t offsets");
    }
    row_ptr(i + 1) = static_cast<Offset>(num_blocks);
  }

  Random random(seed);
  Kokkos::View<Ordinal*, Kokkos::HostSpace> col_idx(view_alloc(WithoutInitializing, "ashlar::col_idx"), num_blocks);
  for (std::int64_t i = 0; i < num_block_rows; ++i) {
    const std::int64_t begin = row_ptr(i), length = std::int64_t(row_ptr(i + 1)) - begin;
    for (std::int64_t k = 0; k < length; ++k) {
      const std::int64_t first = k * num_block_cols / length, end = (k + 1) * num_block_cols / length;
      col_idx(begin + k) = static_cast<Ordinal>(first + random.below(end - first));
    }
  }
  Kokkos::View<Scalar*, Kokkos::HostSpace> values(view_alloc(WithoutInitializing, "ashlar::values"),
                                                  std::size_t(num_blocks) * block_shape.num_values());
  for (std::size_t v = 0; v < values.extent(0); ++v) values(v) = random.value<Scalar>();
  return {block_shape, {static_cast<Ordinal>(num_block_cols), row_ptr, col_idx}, values};
}

/// A random matrix on the host with rows of random lengths, as `rows` says; otherwise as above.
template <bcsr_matrix Matrix>
typename Matrix::template in_space<Kokkos::HostSpace> random_bcsr(std::int64_t num_block_rows,
                                                                  std::int64_t num_block_cols,
                                                                  const BlockShape& block_shape, RandomRows rows = {},
                                                                  std::uint64_t seed = 1) {
  Random lengths(~seed);
  const auto length = [&](std::int64_t i) -> std::int64_t {
    const std::int64_t any = rows.min_blocks + lengths.below(rows.max_blocks - rows.min_blocks + 1);
    if (i == rows.full_row) return num_block_cols;
    if (rows.empty_every > 0 && i % rows.empty_every == 0) return 0;
    return std::min(any, num_block_cols);
  };
  if (rows.min_blocks < 0 || rows.max_blocks < rows.min_blocks) {
    throw ArgumentError(text("random_bcsr: rows of ", rows.min_blocks, " to ", rows.max_blocks, " blocks"),
                        "the first is at least 0 and the second no less than the first", "change RandomRows");
  }
  return random_bcsr<Matrix>(num_block_rows, num_block_cols, block_shape, length, seed);
}

}  // namespace ashlar::reference
