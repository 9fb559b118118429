#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/bcsr/row_ranges.hpp>
#include <ashlar/host/memory.hpp>
#include <cstdint>
#include <string>

namespace ashlar {

/// One block row while `build_by_rows` fills it: what the fill function writes to.
template <class Scalar, class Layout, class Ordinal>
class BlockRowFill {
 public:
  KOKKOS_INLINE_FUNCTION BlockRowFill(int num_blocks, int rows_of_block, int cols_of_block, Ordinal* columns,
                                      Scalar* values)
      : num_blocks_(num_blocks),
        block_rows_(rows_of_block),
        block_cols_(cols_of_block),
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

namespace impl {

/// Fills one block row, whose values are zero.
template <class Matrix, class Fill>
struct FillBlockRow {
  using Scalar = typename Matrix::scalar_type;
  using Ordinal = typename Matrix::ordinal_type;
  using Space = typename Matrix::memory_space;

  int rows_of_block, cols_of_block;
  Kokkos::View<const typename Matrix::offset_type*, Space> row_ptr;
  Kokkos::View<Ordinal*, Space> col_idx;
  Kokkos::View<Scalar*, Space> values;
  Fill fill;

  KOKKOS_INLINE_FUNCTION std::int64_t first_value(std::int64_t i) const {
    return std::int64_t(row_ptr(i)) * rows_of_block * cols_of_block;
  }

  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t begin = row_ptr(i);
    const BlockRowFill<Scalar, typename Matrix::layout_type, Ordinal> row(
        static_cast<int>(row_ptr(i + 1) - begin), rows_of_block, cols_of_block, col_idx.data() + begin,
        values.data() + first_value(i));
    fill(static_cast<Ordinal>(i), row);
  }
};

/// Zeroes and fills a range of block rows: by the thread of a host that takes them in products too, so that what it
/// will read lies in memory near it.
template <class Matrix, class Fill>
struct FillRange {
  RowRanges first_row;
  FillBlockRow<Matrix, Fill> fill_row;

  void operator()(std::int64_t range) const {
    for (std::int64_t i = first_row(range); i < first_row(range + 1); ++i) {
      auto* const values = fill_row.values.data();
      std::fill(values + fill_row.first_value(i), values + fill_row.first_value(i + 1),
                typename Matrix::scalar_type(0));
      fill_row(i);
    }
  }
};

}  // namespace impl

/// A matrix built in two passes, each parallel over block rows: first the number of blocks of each row, then the
/// blocks.
///
/// `count(i)` gives the number of blocks of block row i; `fill(i, row)` writes `row.column(k)`, ascending, and
/// `row.value(k, r, c)` for k < row.num_blocks(). Both are called on `exec`, once for each row, in any order: no
/// atomics, and the same bits each time.
///
/// Memory   allocates the matrix in Matrix::memory_space, which `exec` reaches; values start at zero. On a host,
///          threads take ranges of block rows of about equal work, as in products, so that what a thread will read
///          lies near it.
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
  if (total > most_blocks<Offset>) {
    throw ShapeError(text("build_by_rows: ", total, " blocks"), text("the offset type counts to ", most_blocks<Offset>),
                     "use a matrix type with std::int64_t offsets");
  }

  Kokkos::View<Ordinal*, Space> col_idx(Kokkos::view_alloc(Kokkos::WithoutInitializing, "ashlar::col_idx"),
                                        std::size_t(total));
  const std::size_t num_values = std::size_t(total) * block_shape.num_values();
  Kokkos::View<Scalar*, Space> values;
  if constexpr (is_gpu_v<Exec>) {
    values = Kokkos::View<Scalar*, Space>(Kokkos::view_alloc(exec, "ashlar::values"), num_values);
    Kokkos::parallel_for(
        "ashlar::build_by_rows[fill]", Policy(exec, 0, num_block_rows),
        impl::FillBlockRow<Matrix, Fill>{block_shape.rows, block_shape.cols, row_ptr, col_idx, values, fill});
  } else {
    values =
        Kokkos::View<Scalar*, Space>(Kokkos::view_alloc(Kokkos::WithoutInitializing, "ashlar::values"), num_values);
    ask_for_huge_pages(col_idx);
    ask_for_huge_pages(values);
    const int num_ranges = exec.concurrency();
    Kokkos::parallel_for(
        "ashlar::build_by_rows[fill]", Policy(exec, 0, num_ranges),
        impl::FillRange<Matrix, Fill>{row_ranges(exec, row_ptr, block_shape, num_ranges),
                                      {block_shape.rows, block_shape.cols, row_ptr, col_idx, values, fill}});
  }
  return Matrix(block_shape, {num_block_cols, row_ptr, col_idx}, values);
}

}  // namespace ashlar
