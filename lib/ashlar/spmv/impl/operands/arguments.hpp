#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/bcsr/block.hpp>
#include <ashlar/device/loads/cache_hint.hpp>
#include <ashlar/spmv/impl/operands/vectors.hpp>
#include <cstdint>

namespace ashlar::impl {

/// The block row of y to which a block row of a product is stored: the list's entry, or the same block row if there is
/// no list.
///
/// The list is asked where a row is stored and nowhere before, so that it costs kernels no register meanwhile, and
/// whether there is one is the same for all threads.
template <class Ordinal>
struct RowOfY {
  const Ordinal* list = nullptr;

  KOKKOS_INLINE_FUNCTION std::int64_t operator()(std::int64_t block_row) const {
    return list == nullptr ? block_row : std::int64_t(list[block_row]);
  }
};

/// y := alpha*sum + beta*y for one entry; with beta 0, what y held does not matter, NaN included.
template <class Scalar>
KOKKOS_INLINE_FUNCTION void update(Scalar& y, const Scalar& alpha, const Scalar& sum, const Scalar& beta) {
  y = beta == Scalar(0) ? alpha * sum : alpha * sum + beta * y;
}

/// The arguments of every kernel, by value: plain pointers, so that one instantiation serves every kind of view.
template <class Value, class Scalar, class Ordinal, class Offset>
struct SpmvArguments {
  std::int64_t num_block_rows;  // of the product: of A, or of A^T
  std::int64_t num_blocks;
  std::int64_t longest_row;  // block rows of more blocks than this are left to others
  BlockShape block_shape;    // of op(A)
  Divisor cols_of_block;     // of the block's columns
  bool conjugate;            // whether the entries are conjugated
  CacheHint hint;            // for the values
  const Offset* row_begin;   // block row i has the entries row_begin[i] .. row_end[i] - 1
  const Offset* row_end;
  const Ordinal* col_idx;
  const Offset* block;  // which block an entry is, where the entries are not in the order of storage (A^T); else null
  const Value* values;
  Scalar alpha;
  const Scalar* x;
  Scalar beta;
  Scalar* y;
  RowOfY<Ordinal> row_of_y;
};

/// The entries of a block row: begin .. end - 1.
struct EntryRange {
  std::int64_t begin = 0, end = 0;
  bool is_there = false;  ///< whether the kernel is to multiply the block row

  KOKKOS_INLINE_FUNCTION std::int64_t count() const { return end - begin; }
};

/// How the kernels see the matrix: block rows of entries, an entry a block column and a block of values.
///
/// Indirect is for A^T, whose entries come in the order of A^T but point at the blocks of A; Layout is then the
/// transposed one, so that the kernels need not know.
/// B is the size of square blocks where that is compiled in, or 0.
template <class Value, class Scalar, class Layout, class Ordinal, class Offset, int B, bool Indirect>
struct BlockRows {
  using value_type = Value;
  using scalar_type = Scalar;
  using layout_type = Layout;
  using ordinal_type = Ordinal;
  using offset_type = Offset;
  static constexpr int compiled_block_size = B;
  static constexpr bool is_indirect = Indirect;

  SpmvArguments<Value, Scalar, Ordinal, Offset> a;

  KOKKOS_INLINE_FUNCTION int rows_of_block() const { return B > 0 ? B : a.block_shape.rows; }
  KOKKOS_INLINE_FUNCTION int cols_of_block() const { return B > 0 ? B : a.block_shape.cols; }
  /// Which block a column is of, counted through a block row's blocks.
  KOKKOS_INLINE_FUNCTION int block_of_column(int column) const {
    if constexpr (B > 0) return column / B;
    return column / a.cols_of_block;
  }
  KOKKOS_INLINE_FUNCTION int values_of_block() const { return rows_of_block() * cols_of_block(); }
  KOKKOS_INLINE_FUNCTION std::int64_t begin(std::int64_t row) const { return a.row_begin[row]; }
  KOKKOS_INLINE_FUNCTION std::int64_t end(std::int64_t row) const { return a.row_end[row]; }

  /// The first step of a kernel: the entries of the block row that a group of lanes has reached. It is empty if the
  /// group has no row, or if the block row is too long for one group: other kernels multiply it in segments.
  KOKKOS_INLINE_FUNCTION EntryRange entries_of(std::int64_t block_row) const {
    EntryRange range;
    if (block_row >= a.num_block_rows) return range;
    range.begin = begin(block_row);
    range.end = end(block_row);
    range.is_there = range.count() <= a.longest_row;
    return range;
  }

  /// The block of entry k.
  KOKKOS_INLINE_FUNCTION const Value* block(std::int64_t k) const {
    const std::int64_t which = Indirect ? std::int64_t(a.block[k]) : k;
    return a.values + which * values_of_block();
  }

  /// Column `line` (of blocks by rows: row) of the blocks that follow entry `first`, counted through them all; of
  /// square blocks of a compiled size. Index is the type in which the place is computed, of 32 or 64 bits.
  template <class Index>
  KOKKOS_INLINE_FUNCTION const Value* line(std::int64_t first, Index line) const {
    static_assert(B > 0);
    if constexpr (Indirect) return block(first + line / B) + line % B * B;
    return a.values + first * (B * B) + line * B;
  }

  /// The part of x that the block of entry k multiplies.
  KOKKOS_INLINE_FUNCTION const Scalar* x_of(std::int64_t k) const {
    return a.x + std::int64_t(a.col_idx[k]) * cols_of_block();
  }

  KOKKOS_INLINE_FUNCTION int at(int row, int column) const {
    return Layout::at(row, column, rows_of_block(), cols_of_block());
  }

  /// A stored value as the entry of op(A) that it is.
  KOKKOS_INLINE_FUNCTION Scalar entry(const Value& value) const {
    if constexpr (is_complex_v<Value>) {
      return Scalar(value.real(), a.conjugate ? -value.imag() : value.imag());
    } else {
      return Scalar(value);
    }
  }

  /// The row of y that the first row of a block row is.
  KOKKOS_INLINE_FUNCTION std::int64_t row_of_y(std::int64_t block_row) const {
    return a.row_of_y(block_row) * rows_of_block();
  }

  /// y := alpha*sum + beta*y for one row of a block row.
  KOKKOS_INLINE_FUNCTION void store(std::int64_t block_row, int row, const Scalar& sum) const {
    update(a.y[row_of_y(block_row) + row], a.alpha, sum, a.beta);
  }

  /// The same for a row of y, one of several vectors.
  KOKKOS_INLINE_FUNCTION void store(const MultiVectors<Scalar>& vectors, std::int64_t row, int vector,
                                    const Scalar& sum) const {
    update(vectors.y(row, vector), a.alpha, sum, a.beta);
  }
};

}  // namespace ashlar::impl
