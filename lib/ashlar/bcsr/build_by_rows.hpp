#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <limits>
#include <string>

namespace ashlar {

/// One block row while `build_by_rows` fills it: what the fill function writes to.
template <class Scalar, class Layout, class Ordinal>
class BlockRowFill {
 public:
  KOKKOS_INLINE_FUNCTION BlockRowFill(int num_blocks, const BlockShape& block_shape, Ordinal* columns, Scalar* values)
      : num_blocks_(num_blocks),
        block_rows_(block_shape.rows),
        block_cols_(block_shape.cols),
        columns_(columns),
        values_(values) {}

  KOKKOS_INLINE_FUNCTION int num_blocks() const { return num_blocks_; }
  KOKKOS_INLINE_FUNCTION int rows_of_block() const { return block_rows_; }
  KOKKOS_INLINE_FUNCTION int cols_of_block() const { return block_cols_; }
  /// Of square blocks.
  KOKKOS_INLINE_FUNCTION int block_size() const { return block_rows_; }
  /// The block column of the k-th block of this row.
  KOKKOS_INLINE_FUNCTION Ordinal& column(int k) const { return columns_[k]; }
  /// Entry (row, column) of the k-th block; zero before it is written.
  KOKKOS_INLINE_FUNCTION Scalar& value(int k, int row, int column) const {
    return values_[std::int64_t(k) * block_rows_ * block_cols_ + Layout::at(row, column, block_rows_, block_cols_)];
  }

 private:
  int num_blocks_, block_rows_, block_cols_;
  Ordinal* columns_;
  Scalar* values_;
};

/// A matrix built in two passes, each parallel over block rows: how many blocks a row has, then what they are.
///
/// `count(i)` gives the number of blocks of block row i; `fill(i, row)` writes `row.column(k)`, ascending, and
/// `row.value(k, r, c)` for k < row.num_blocks(). Both are called on `exec`, once for each row, in any order: no
/// atomics, and the same bits each time.
///
/// Memory   allocates the matrix in Matrix::memory_space, which `exec` reaches; values start at zero.
/// Async    waits for `exec` once, to learn the number of blocks; the fill is enqueued.
/// Throws   BlockSizeError, ShapeError for sizes that no matrix has; ShapeError where a count is negative, or the
///          blocks outnumber what the offset type counts.
template <bcsr_matrix Matrix, execution_space Exec, class Count, class Fill>
Matrix build_by_rows(const Exec& exec, const BlockShape& block_shape, typename Matrix::ordinal_type num_block_rows,
                     typename Matrix::ordinal_type num_block_cols, const Count& count, const Fill& fill) {
  using Scalar = typename Matrix::scalar_type;
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;
  using Space = typename Matrix::memory_space;
  using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
  using Row = BlockRowFill<Scalar, typename Matrix::layout_type, Ordinal>;

  check("build_by_rows", block_shape);
  if (num_block_rows < 0 || num_block_cols < 0) {
    throw ShapeError(text("build_by_rows: ", num_block_rows, " x ", num_block_cols, " blocks"),
                     "a number of blocks is not negative", "check for an overflow of the ordinal type");
  }
  Kokkos::View<Offset*, Space> row_ptr(Kokkos::view_alloc(Kokkos::WithoutInitializing, "ashlar::row_ptr"),
                                       std::size_t(num_block_rows) + 1);
  std::int64_t total = 0;
  // A scan in 64 bits: the narrower sum would wrap before anybody could notice.
  Kokkos::parallel_scan(
      "ashlar::build_by_rows[count]", Policy(exec, 0, std::int64_t(num_block_rows) + 1),
      KOKKOS_LAMBDA(std::int64_t i, std::int64_t & sum, bool last) {
        if (last) row_ptr(i) = static_cast<Offset>(sum);
        if (i < num_block_rows) sum += count(static_cast<Ordinal>(i));
      },
      total);
  exec.fence("ashlar::build_by_rows: number of blocks");
  if (total < 0) {
    throw ShapeError(text("build_by_rows: ", total, " blocks"), "a row has no negative number of them",
                     "check what the count function returns");
  }
  if (total > std::int64_t(std::numeric_limits<Offset>::max())) {
    throw ShapeError(text("build_by_rows: ", total, " blocks"),
                     text("the offset type counts to ", std::numeric_limits<Offset>::max()),
                     "use a matrix type with std::int64_t offsets");
  }

  Kokkos::View<Ordinal*, Space> col_idx(Kokkos::view_alloc(Kokkos::WithoutInitializing, "ashlar::col_idx"),
                                        std::size_t(total));
  Kokkos::View<Scalar*, Space> values(Kokkos::view_alloc(exec, "ashlar::values"),
                                      std::size_t(total) * block_shape.num_values());
  Kokkos::parallel_for(
      "ashlar::build_by_rows[fill]", Policy(exec, 0, num_block_rows), KOKKOS_LAMBDA(std::int64_t i) {
        const std::int64_t begin = row_ptr(i);
        const Row row(static_cast<int>(row_ptr(i + 1) - begin), block_shape, col_idx.data() + begin,
                      values.data() + begin * (std::int64_t(block_shape.rows) * block_shape.cols));
        fill(static_cast<Ordinal>(i), row);
      });
  return Matrix(block_shape, {num_block_cols, row_ptr, col_idx}, values);
}

}  // namespace ashlar
