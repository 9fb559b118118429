#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/build_by_rows.hpp>
#include <ashlar/bcsr/copy.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace ashlar {

/// A block-sparse matrix on the host as a list of full blocks: block k lies at (rows[k], cols[k]), counted from 0.
///
/// Shapes   values holds rows.size() * block_size^2 entries, block after block, each block column after column whatever
///          the layout of the matrix made from it. Any order; blocks that name one place twice are added up.
/// Memory   the host's.
template <scalar Scalar, class Ordinal = std::int32_t>
struct BlockCoo {
  Ordinal num_block_rows = 0;
  Ordinal num_block_cols = 0;
  int block_size = 1;
  std::vector<Ordinal> rows;
  std::vector<Ordinal> cols;
  std::vector<Scalar> values;
};

namespace impl {

/// Throws what bcsr_from_block_coo says it throws.
template <scalar Scalar, class Ordinal>
void check_block_coo(const BlockCoo<Scalar, Ordinal>& coo) {
  if (coo.block_size < 1) {
    throw BlockSizeError(coo.block_size, text("bcsr_from_block_coo: block size ", coo.block_size),
                         "a block has at least one row", "pass the number of unknowns of a node");
  }
  if (coo.num_block_rows < 0 || coo.num_block_cols < 0) {
    throw ShapeError(text("bcsr_from_block_coo: ", coo.num_block_rows, " x ", coo.num_block_cols, " blocks"),
                     "extents are not negative", "check for an overflow of the ordinal type");
  }
  if (coo.rows.size() != coo.cols.size()) {
    throw ShapeError(text("bcsr_from_block_coo: ", coo.rows.size(), " rows and ", coo.cols.size(), " columns"),
                     "each block has a row and a column", "pass two vectors of one length");
  }
  const std::size_t num_values = coo.rows.size() * coo.block_size * coo.block_size;
  if (coo.values.size() != num_values) {
    throw ShapeError(text("bcsr_from_block_coo: ", coo.values.size(), " values"),
                     text(coo.rows.size(), " blocks of size ", coo.block_size, " hold ", num_values),
                     "pass full blocks, column after column");
  }
  for (std::size_t k = 0; k < coo.rows.size(); ++k) {
    if (coo.rows[k] < 0 || coo.rows[k] >= coo.num_block_rows || coo.cols[k] < 0 || coo.cols[k] >= coo.num_block_cols) {
      throw StructureError(
          text("bcsr_from_block_coo: block ", k, " lies at (", coo.rows[k], ", ", coo.cols[k], ")"),
          text("the matrix has ", coo.num_block_rows, " x ", coo.num_block_cols, " blocks, counted from 0"),
          "check the indices and whether they count from 1");
    }
  }
}

/// The list sorted by place, and in the order of the list within a place: entry[row_begin[i]] .. are row i's.
template <class Ordinal>
struct SortedBlockCoo {
  const std::int64_t* row_begin;
  const std::int64_t* entry;
  const Ordinal* cols;

  /// One past the last entry from k on that lies where entry k does.
  KOKKOS_INLINE_FUNCTION std::int64_t end_of_place(std::int64_t k, std::int64_t row_end) const {
    const Ordinal column = cols[entry[k]];
    do ++k;
    while (k < row_end && cols[entry[k]] == column);
    return k;
  }
};

template <class Ordinal>
struct CountPlaces {
  SortedBlockCoo<Ordinal> sorted;

  KOKKOS_INLINE_FUNCTION std::int64_t operator()(Ordinal i) const {
    std::int64_t places = 0;
    const std::int64_t end = sorted.row_begin[i + 1];
    for (std::int64_t k = sorted.row_begin[i]; k < end; k = sorted.end_of_place(k, end)) ++places;
    return places;
  }
};

template <class Scalar, class Ordinal>
struct SumBlocks {
  SortedBlockCoo<Ordinal> sorted;
  const Scalar* values;

  template <class Row>
  KOKKOS_INLINE_FUNCTION void operator()(Ordinal i, const Row& row) const {
    const int b = row.block_size();
    const std::int64_t row_end = sorted.row_begin[i + 1];
    std::int64_t k = sorted.row_begin[i];
    for (int place = 0; place < row.num_blocks(); ++place) {
      row.column(place) = sorted.cols[sorted.entry[k]];
      for (const std::int64_t end = sorted.end_of_place(k, row_end); k < end; ++k) {
        const Scalar* block = values + sorted.entry[k] * b * b;
        for (int c = 0; c < b; ++c) {
          for (int r = 0; r < b; ++r) row.value(place, r, c) += block[r + c * b];
        }
      }
    }
  }
};

}  // namespace impl

/// The matrix of these blocks. Blocks at one place are summed in the order of the list, so always to the same bits.
///
/// Memory   allocates the matrix in Matrix::memory_space. Sorted and summed on the host, in parallel over block rows,
///          then copied.
/// Async    waits for `exec`: the list may be freed on return.
/// Throws   BlockSizeError, ShapeError for extents that do not fit together, StructureError naming the first block out
///          of range.
template <bcsr_matrix Matrix, execution_space Exec, scalar Scalar, class Ordinal>
Matrix bcsr_from_block_coo(const Exec& exec, const BlockCoo<Scalar, Ordinal>& coo) {
  static_assert(std::is_same_v<Scalar, typename Matrix::scalar_type>,
                "bcsr_from_block_coo: blocks and matrix must have one scalar type");
  static_assert(std::is_same_v<Ordinal, typename Matrix::ordinal_type>,
                "bcsr_from_block_coo: blocks and matrix must have one ordinal type");
  impl::check_block_coo(coo);
  const auto host = impl::host_execution(exec);

  std::vector<std::int64_t> row_begin(std::size_t(coo.num_block_rows) + 1, 0), entry(coo.rows.size());
  for (const Ordinal row : coo.rows) ++row_begin[row + 1];
  for (Ordinal i = 0; i < coo.num_block_rows; ++i) row_begin[i + 1] += row_begin[i];
  std::vector<std::int64_t> next(row_begin.begin(), row_begin.end() - 1);
  for (std::size_t k = 0; k < coo.rows.size(); ++k) entry[next[coo.rows[k]]++] = static_cast<std::int64_t>(k);

  const impl::SortedBlockCoo<Ordinal> sorted{row_begin.data(), entry.data(), coo.cols.data()};
  Kokkos::parallel_for("ashlar::bcsr_from_block_coo[sort]",
                       Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace, Kokkos::IndexType<std::int64_t>>(
                           host, 0, coo.num_block_rows),
                       [begin = row_begin.data(), entry = entry.data(), cols = coo.cols.data()](std::int64_t i) {
                         std::sort(entry + begin[i], entry + begin[i + 1], [cols](std::int64_t a, std::int64_t b) {
                           return cols[a] != cols[b] ? cols[a] < cols[b] : a < b;
                         });
                       });

  using HostMatrix = typename Matrix::template in_space<Kokkos::HostSpace>;
  const auto on_host = build_by_rows<HostMatrix>(host, coo.block_size, coo.num_block_rows, coo.num_block_cols,
                                                 impl::CountPlaces<Ordinal>{sorted},
                                                 impl::SumBlocks<Scalar, Ordinal>{sorted, coo.values.data()});
  host.fence("ashlar::bcsr_from_block_coo: the list may go");
  const auto result = copy_to<typename Matrix::memory_space>(exec, on_host);
  exec.fence("ashlar::bcsr_from_block_coo: the host's copy may go");
  return result;
}

}  // namespace ashlar
