#pragma once

#include <ashlar/bcsr/block.hpp>
#include <ashlar/spmv/block_sizes.hpp>
#include <ashlar/spmv/impl/operands/arguments.hpp>
#include <cstdint>
#include <type_traits>

namespace ashlar::impl {

// Block rows of A and of A^T as one type, so that what CPUs run for them is compiled once for each instruction set.
// A test for each block replaces the second type.

/// Block rows whose entries come in the order of storage or not, seen in one layout.
template <class Value, class Scalar, class Layout, class Ordinal, class Offset, int B>
struct BlockRowsInAnyOrder : BlockRows<Value, Scalar, Layout, Ordinal, Offset, B, false> {
  template <bool Indirect>
  explicit BlockRowsInAnyOrder(const BlockRows<Value, Scalar, Layout, Ordinal, Offset, B, Indirect>& rows)
      : BlockRowsInAnyOrder::BlockRows{rows.a} {}

  const Value* block(std::int64_t k) const {
    const std::int64_t which = this->a.block == nullptr ? k : std::int64_t(this->a.block[k]);
    return this->a.values + which * this->values_of_block();
  }
};

/// The same in either layout, for products that load a block value by value.
template <class Value, class Scalar, class Ordinal, class Offset>
struct AnyBlockRows : BlockRowsInAnyOrder<Value, Scalar, BlockColumnMajor, Ordinal, Offset, runtime_block_size> {
  int row_stride, col_stride;  // from a row, or column, of a block to the next

  template <class Layout, bool Indirect>
  explicit AnyBlockRows(const BlockRows<Value, Scalar, Layout, Ordinal, Offset, runtime_block_size, Indirect>& rows)
      : AnyBlockRows::BlockRowsInAnyOrder(
            BlockRows<Value, Scalar, BlockColumnMajor, Ordinal, Offset, runtime_block_size, Indirect>{rows.a}),
        row_stride(std::is_same_v<Layout, BlockColumnMajor> ? 1 : rows.cols_of_block()),
        col_stride(std::is_same_v<Layout, BlockColumnMajor> ? rows.rows_of_block() : 1) {}

  int at(int row, int column) const { return row * row_stride + column * col_stride; }
};

}  // namespace ashlar::impl
