#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/algorithms.hpp>
#include <ashlar/bcsr/build_by_rows.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/distributed/global_rows.hpp>
#include <ashlar/distributed/matrix.hpp>
#include <cstdint>

// Rows of a distributed matrix as one matrix of a rank, with rows of other ranks below its own: factors of products.

namespace ashlar::impl {

/// Block columns of one rank: its own first, counted from the first of them, then `others`.
template <class Space>
struct FactorColumns {
  std::int64_t begin = 0, end = 0;                       ///< own columns
  Kokkos::View<const std::int64_t*, Space> others = {};  ///< global columns, ascending

  std::int64_t count() const { return end - begin + std::int64_t(others.extent(0)); }

  /// The number of a global column; -1 if it has none.
  KOKKOS_INLINE_FUNCTION std::int64_t operator()(std::int64_t column) const {
    if (column >= begin && column < end) return column - begin;
    const auto size = static_cast<std::int64_t>(others.extent(0));
    const std::int64_t at = first_not_less(others, 0, size, column);
    return at < size && others(at) == column ? end - begin + at : -1;
  }
};

/// Counts and fills the own rows of a distributed matrix, and `below` them rows of other ranks. Blocks in columns
/// without a number are left out.
template <class Matrix>
struct NumberedRows {
  using Space = typename Matrix::memory_space;
  using Scalar = typename Matrix::scalar_type;
  using Layout = typename Matrix::layout_type;

  OwnRows<Matrix> own;
  std::int64_t num_own;
  GlobalRows<Matrix> below;
  FactorColumns<Space> numbers;

  /// work(number, values of the block) for each block that stays, by ascending numbers. The values are null where those
  /// of other ranks are not there, as only the structure is wanted.
  template <class Work>
  KOKKOS_INLINE_FUNCTION void for_each_block(std::int64_t i, const Work& work) const {
    if (i >= num_own) {
      const std::int64_t first = below.row_ptr(i - num_own), last = below.row_ptr(i - num_own + 1);
      for (int pass = 0; pass < 2; ++pass) {  // own columns, then others
        for (std::int64_t k = first; k < last; ++k) {
          const std::int64_t number = numbers(below.columns(k));
          if (number < 0 || (number < numbers.end - numbers.begin) != (pass == 0)) continue;
          work(number, at_block(below.values, k));
        }
      }
      return;
    }
    for (std::int64_t k = own.local_row_ptr(i); k < std::int64_t(own.local_row_ptr(i + 1)); ++k) {
      work(std::int64_t(own.local_columns(k)), at_block(own.local_values, k));
    }
    const auto remote = own.remote_blocks(i);
    for (std::int64_t k = remote.first; k < remote.second; ++k) {
      const std::int64_t number = numbers(own.halo_columns(own.remote_columns(k)));
      if (number >= 0) work(number, at_block(own.remote_values, k));
    }
  }

  KOKKOS_INLINE_FUNCTION const Scalar* at_block(const typename Matrix::values_view& values, std::int64_t k) const {
    if (values.extent(0) == 0) return nullptr;
    return values.data() + k * below.block_shape.rows * below.block_shape.cols;
  }

  KOKKOS_FUNCTION int operator()(std::int64_t i) const {
    int count = 0;
    for_each_block(i, [&](std::int64_t, const Scalar*) { ++count; });
    return count;
  }

  template <class Row>
  KOKKOS_FUNCTION void operator()(std::int64_t i, const Row& row) const {
    int place = 0;
    const int rows = below.block_shape.rows, cols = below.block_shape.cols;
    for_each_block(i, [&](std::int64_t number, const Scalar* block) {
      row.column(place) = static_cast<typename Matrix::ordinal_type>(number);
      for (int c = 0; block != nullptr && c < cols; ++c) {
        for (int r = 0; r < rows; ++r) row.value(place, r, c) = block[Layout::at(r, c, rows, cols)];
      }
      ++place;
    });
  }
};

/// The own rows of `a` and those `below` in these columns. Waits for `exec`; the fill is enqueued.
///
/// Memory   a copy of the blocks; the local matrix itself if no other block is left.
template <class Matrix, class Exec>
Matrix numbered_rows(const Exec& exec, const DistributedMatrix<Matrix>& a, GlobalRows<Matrix> below,
                     const FactorColumns<typename Matrix::memory_space>& numbers) {
  using Ordinal = typename Matrix::ordinal_type;
  if (below.num_block_rows() == 0 && numbers.others.extent(0) == 0) return a.local();
  below.block_shape = a.block_shape();
  const std::int64_t num_own = a.num_block_rows(), num_rows = num_own + below.num_block_rows();
  check_fits_ordinal<Ordinal>(num_rows, "block rows of a factor");
  check_fits_ordinal<Ordinal>(numbers.count(), "block columns of a factor");
  const NumberedRows<Matrix> rows{OwnRows<Matrix>(a), num_own, below, numbers};
  return build_by_rows<Matrix>(exec, a.block_shape(), static_cast<Ordinal>(num_rows),
                               static_cast<Ordinal>(numbers.count()), rows, rows);
}

}  // namespace ashlar::impl
