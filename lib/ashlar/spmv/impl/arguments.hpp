#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/chunk.hpp>
#include <cstdint>

namespace ashlar::impl {

/// What every kernel gets, by value: plain pointers, so that one instantiation serves every kind of view.
template <class Value, class Scalar, class Ordinal, class Offset>
struct SpmvArguments {
  std::int64_t num_block_rows;  // of the product: of A, or of A^T
  std::int64_t num_blocks;
  std::int64_t longest_row;  // block rows of more blocks than this are left to others
  int block_size;
  const Offset* row_begin;  // block row i has the entries row_begin[i] .. row_end[i] - 1
  const Offset* row_end;
  const Ordinal* col_idx;
  const Offset* block;  // which block an entry is, where the entries are not in the order of storage (A^T); else null
  const Value* values;
  Scalar alpha;
  const Scalar* x;
  Scalar beta;
  Scalar* y;
};

/// How the kernels see the matrix: block rows of entries, an entry a block column and a block of values.
///
/// Indirect is for A^T, whose entries come in the order of A^T but point at the blocks of A; Layout is then the
/// transposed one, so that the kernels need not know.
template <class Value, class Scalar, class Layout, class Ordinal, class Offset, int B, bool Indirect>
struct BlockRows {
  using value_type = Value;
  using scalar_type = Scalar;
  using layout_type = Layout;
  using ordinal_type = Ordinal;
  static constexpr int compiled_block_size = B;
  static constexpr bool is_indirect = Indirect;

  SpmvArguments<Value, Scalar, Ordinal, Offset> a;

  KOKKOS_INLINE_FUNCTION int block_size() const { return B > 0 ? B : a.block_size; }
  KOKKOS_INLINE_FUNCTION std::int64_t begin(std::int64_t row) const { return a.row_begin[row]; }
  KOKKOS_INLINE_FUNCTION std::int64_t end(std::int64_t row) const { return a.row_end[row]; }

  /// The block of entry k.
  KOKKOS_INLINE_FUNCTION const Value* block(std::int64_t k) const {
    const std::int64_t which = Indirect ? std::int64_t(a.block[k]) : k;
    return a.values + which * (block_size() * block_size());
  }

  /// The part of x that the block of entry k multiplies.
  KOKKOS_INLINE_FUNCTION const Scalar* x_of(std::int64_t k) const {
    return a.x + std::int64_t(a.col_idx[k]) * block_size();
  }

  KOKKOS_INLINE_FUNCTION int at(int row, int column) const { return Layout::at(row, column, block_size()); }

  /// y := alpha*sum + beta*y for one row; with beta 0, what y held does not matter, NaN included.
  KOKKOS_INLINE_FUNCTION void store(std::int64_t block_row, int row, const Scalar& sum) const {
    Scalar& y = a.y[block_row * block_size() + row];
    y = a.beta == Scalar(0) ? a.alpha * sum : a.alpha * sum + a.beta * y;
  }
};

}  // namespace ashlar::impl
