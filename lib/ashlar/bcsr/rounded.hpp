#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/bcsr/copy.hpp>
#include <ashlar/bcsr/diagonal.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ashlar {

/// The same matrix with values of lower precision, whose block rows keep their sums: a vector that is constant in each
/// unknown of a node has the same product as with A, and a smooth one nearly so.
///
/// The product with a smooth vector is small, as large terms cancel. Values that are rounded each by itself
/// (convert_values) change it by the rounding of those terms, which solvers notice. So what all values of a row lose is
/// kept in a second block on the diagonal, right behind the first: a product adds up both.
///
/// Shapes   A is square with square blocks, of real values. A symmetric A stays symmetric up to what rows lose.
/// Memory   (num_blocks + num_block_rows) blocks of To, and a graph of its own, in the matrix's memory space.
/// Async    waits for `exec`.
template <matrix_value To, execution_space Exec, class From, class Layout, class Ordinal, class Offset, class Space>
BcsrMatrix<To, Layout, Ordinal, Offset, Space> round_keeping_sums(
    const Exec& exec, const BcsrMatrix<From, Layout, Ordinal, Offset, Space>& matrix) {
  static_assert(std::is_floating_point_v<From> && std::is_floating_point_v<To>,
                "ashlar::round_keeping_sums: real values of float or double");
  using Result = BcsrMatrix<To, Layout, Ordinal, Offset, Space>;
  using Rows = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
  using Kokkos::view_alloc, Kokkos::WithoutInitializing;
  const std::int64_t n = matrix.num_block_rows(), b = matrix.block_size(), size = b * b;
  const std::size_t num_blocks = std::size_t(matrix.num_blocks()) + std::size_t(n);
  const Kokkos::View<Offset*, Space> row_ptr(view_alloc(WithoutInitializing, "ashlar::row_ptr"), std::size_t(n) + 1);
  const Kokkos::View<Ordinal*, Space> col_idx(view_alloc(WithoutInitializing, "ashlar::col_idx"), num_blocks);
  const typename Result::values_view values(view_alloc(WithoutInitializing, "ashlar::values"),
                                            num_blocks * std::size_t(size));
  ask_for_huge_pages(values);
  const auto diagonal = diagonal_block_index(exec, matrix);
  const auto from = matrix.values();
  const auto rows = matrix.graph().row_ptr();
  const auto cols = matrix.graph().col_idx();
  Kokkos::parallel_for(
      "ashlar::round_keeping_sums", Rows(exec, 0, n + 1), KOKKOS_LAMBDA(std::int64_t i) {
        row_ptr(i) = static_cast<Offset>(std::int64_t(rows(i)) + i);
        if (i == n) return;
        const std::int64_t begin = rows(i), end = rows(i + 1);
        const std::int64_t own = diagonal(i) < 0 ? end - 1 : std::int64_t(diagonal(i)), extra = own + 1 + i;
        for (std::int64_t k = begin; k < end; ++k) {
          const std::int64_t to = k + i + (k > own ? 1 : 0);
          col_idx(to) = cols(k);
          for (std::int64_t q = 0; q < size; ++q) values(to * size + q) = impl::converted<To>(from(k * size + q));
        }
        col_idx(extra) = static_cast<Ordinal>(i);
        for (std::int64_t q = 0; q < size; ++q) {
          double lost = 0;
          for (std::int64_t k = begin; k < end; ++k) {
            const From value = from(k * size + q);
            lost += double(value) - double(impl::converted<To>(value));
          }
          values(extra * size + q) = static_cast<To>(lost);
        }
      });
  exec.fence("ashlar::round_keeping_sums");
  return Result(matrix.block_shape(), typename Result::graph_type(matrix.num_block_cols(), row_ptr, col_idx), values);
}

}  // namespace ashlar
