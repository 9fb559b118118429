#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/build_by_rows.hpp>
#include <ashlar/bcsr/copy.hpp>
#include <ashlar/bcsr/csr.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace ashlar {

namespace impl {

/// Walks through the blocks of a block row by merging its scalar rows, of which each has a cursor.
struct BlockRowMerge {
  int rows, cols;  // of a block
  const std::int64_t* row_ptr;
  const std::int32_t* col_idx;
  std::int64_t* cursor;  // one for each scalar row, so that no thread needs some of its own

  KOKKOS_INLINE_FUNCTION void start(std::int64_t block_row) const {
    for (int r = 0; r < rows; ++r) cursor[block_row * rows + r] = row_ptr[block_row * rows + r];
  }
  /// The lowest block column with an entry at or after the cursors; -1 where all of them stand at the end.
  KOKKOS_INLINE_FUNCTION std::int64_t next_column(std::int64_t block_row) const {
    constexpr std::int64_t none = std::int64_t(1) << 62;
    std::int64_t column = none;
    for (std::int64_t i = block_row * rows; i < (block_row + 1) * rows; ++i) {
      if (cursor[i] < row_ptr[i + 1] && col_idx[cursor[i]] < column) column = col_idx[cursor[i]];
    }
    return column == none ? -1 : column / cols;
  }
  /// Calls visit(r, c, k) for each entry k of the block, and moves the cursors past them.
  template <class Visit>
  KOKKOS_INLINE_FUNCTION void take(std::int64_t block_row, std::int64_t block_col, const Visit& visit) const {
    const std::int64_t first = block_col * cols, end = first + cols;
    for (int r = 0; r < rows; ++r) {
      const std::int64_t i = block_row * rows + r;
      std::int64_t k = cursor[i];
      for (; k < row_ptr[i + 1] && col_idx[k] < end; ++k) visit(r, static_cast<int>(col_idx[k] - first), k);
      cursor[i] = k;
    }
  }
};

struct VisitNothing {
  KOKKOS_INLINE_FUNCTION void operator()(int, int, std::int64_t) const {}
};

struct CountBlocksOfRow {
  BlockRowMerge merge;

  template <class Ordinal>
  KOKKOS_INLINE_FUNCTION std::int64_t operator()(Ordinal i) const {
    std::int64_t blocks = 0;
    merge.start(i);
    for (std::int64_t column = merge.next_column(i); column >= 0; column = merge.next_column(i)) {
      merge.take(i, column, VisitNothing{});
      ++blocks;
    }
    return blocks;
  }
};

template <class Scalar, class Row>
struct WriteEntry {
  const Scalar* values;
  const Row& row;
  int block;

  KOKKOS_INLINE_FUNCTION void operator()(int r, int c, std::int64_t k) const { row.value(block, r, c) = values[k]; }
};

template <class Scalar>
struct FillBlocksOfRow {
  BlockRowMerge merge;
  const Scalar* values;

  template <class Ordinal, class Row>
  KOKKOS_INLINE_FUNCTION void operator()(Ordinal i, const Row& row) const {
    merge.start(i);
    for (int block = 0; block < row.num_blocks(); ++block) {
      const std::int64_t column = merge.next_column(i);
      row.column(block) = static_cast<Ordinal>(column);
      merge.take(i, column, WriteEntry<Scalar, Row>{values, row, block});
    }
  }
};

}  // namespace impl

/// The CSR matrix cut into blocks. Every block with an entry is stored whole, and its other values are zero.
///
/// The fill is num_values() of the result divided by num_values() of `csr`; `block_size_candidates` computes it before.
///
/// Shapes   the block's rows divide the matrix's rows, its columns the matrix's columns.
/// Memory   allocates the matrix in Matrix::memory_space, and 8 bytes a row of scratch. Built on the host, in parallel
///          over block rows, then copied.
/// Async    waits for `exec`: `csr` may be freed on return.
/// Throws   BlockSizeError where the block divides rows or columns not; ShapeError where the ordinal or the
///          offset type is too narrow; what validate(csr) throws.
template <bcsr_matrix Matrix, execution_space Exec>
Matrix bcsr_from_csr(const Exec& exec, const CsrMatrix<typename Matrix::scalar_type>& csr,
                     const BlockShape& block_shape) {
  using Scalar = typename Matrix::scalar_type;
  using Ordinal = typename Matrix::ordinal_type;
  check("bcsr_from_csr", block_shape);
  const auto [rows, cols] = block_shape;
  if (csr.num_rows % rows != 0 || csr.num_cols % cols != 0) {
    throw BlockSizeError(
        csr.num_rows % rows != 0 ? rows : cols, text("bcsr_from_csr: block size ", to_string(block_shape)),
        text("it does not divide a matrix of ", csr.num_rows, " x ", csr.num_cols, " into whole blocks"),
        "take one of block_size_candidates(), or 1");
  }
  validate(csr);
  const std::int64_t num_block_rows = csr.num_rows / rows, num_block_cols = csr.num_cols / cols;
  constexpr std::int64_t largest = std::numeric_limits<Ordinal>::max();
  if (num_block_rows > largest || num_block_cols > largest) {
    throw ShapeError(text("bcsr_from_csr: ", num_block_rows, " x ", num_block_cols, " blocks"),
                     text("the ordinal type counts to ", largest), "use a matrix type with std::int64_t ordinals");
  }

  const auto host = impl::host_execution(exec);
  std::vector<std::int64_t> cursor(csr.num_rows);
  const impl::BlockRowMerge merge{rows, cols, csr.row_ptr.data(), csr.col_idx.data(), cursor.data()};
  using HostMatrix = typename Matrix::template in_space<Kokkos::HostSpace>;
  const auto on_host = build_by_rows<HostMatrix>(host, block_shape, static_cast<Ordinal>(num_block_rows),
                                                 static_cast<Ordinal>(num_block_cols), impl::CountBlocksOfRow{merge},
                                                 impl::FillBlocksOfRow<Scalar>{merge, csr.values.data()});
  host.fence("ashlar::bcsr_from_csr: the CSR matrix may go");
  const auto result = copy_to<typename Matrix::memory_space>(exec, on_host);
  exec.fence("ashlar::bcsr_from_csr: the host's copy may go");
  return result;
}

}  // namespace ashlar
