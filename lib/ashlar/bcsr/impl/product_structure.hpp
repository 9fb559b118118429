#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/algorithms.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/graph.hpp>
#include <ashlar/bcsr/transpose_index.hpp>
#include <cstdint>
#include <vector>

// The structure of a product of block matrices.

namespace ashlar::impl {

/// The block rows of op(A): entry e of row i, for e from begin(i) to end(i) - 1, is block offset(e), in column col(e).
template <class Graph>
struct RowsOfFactor {
  using Ordinal = typename Graph::ordinal_type;
  using Offset = typename Graph::offset_type;

  std::int64_t num_rows;
  const Offset* row_ptr;
  const Ordinal* column;
  const Offset* block;  ///< null: entry e is block e

  KOKKOS_INLINE_FUNCTION std::int64_t begin(std::int64_t i) const { return row_ptr[i]; }
  KOKKOS_INLINE_FUNCTION std::int64_t end(std::int64_t i) const { return row_ptr[i + 1]; }
  KOKKOS_INLINE_FUNCTION Ordinal col(std::int64_t e) const { return column[e]; }
  KOKKOS_INLINE_FUNCTION std::int64_t offset(std::int64_t e) const { return block == nullptr ? e : block[e]; }
};

template <class Graph>
RowsOfFactor<Graph> rows_of_graph(const Graph& a) {
  return {std::int64_t(a.num_block_rows()), a.row_ptr().data(), a.col_idx().data(), nullptr};
}

/// The block rows of A^T.
template <class Graph, class Index>
RowsOfFactor<Graph> columns_of_graph(const Graph& a, const Index& index) {
  return {std::int64_t(a.num_block_cols()), index.row_ptr.data(), index.block_row.data(), index.block_offset.data()};
}

/// The block columns of row i of the product, ascending, in `list`, which has room for all; returns how many.
template <class Rows, class Graph>
struct ColumnsOfProduct {
  using Ordinal = typename Graph::ordinal_type;

  Rows a;
  typename Graph::row_ptr_view row_ptr;
  typename Graph::col_idx_view col_idx;

  /// At most so many.
  KOKKOS_INLINE_FUNCTION std::int64_t most(std::int64_t i) const {
    std::int64_t sum = 0;
    for (std::int64_t e = a.begin(i); e < a.end(i); ++e) {
      sum += std::int64_t(row_ptr(a.col(e) + 1)) - std::int64_t(row_ptr(a.col(e)));
    }
    return sum;
  }

  KOKKOS_INLINE_FUNCTION std::int64_t collect(std::int64_t i, Ordinal* list) const {
    std::int64_t size = 0;
    for (std::int64_t e = a.begin(i); e < a.end(i); ++e) {
      std::int64_t at = 0;  // rows of B ascend, and so do their places in the list
      const std::int64_t last = row_ptr(a.col(e) + 1);
      for (std::int64_t k = row_ptr(a.col(e)); k < last; ++k) {
        const Ordinal column = col_idx(k);
        if (at < size && list[at] != column) {
          at = first_not_less([=](std::int64_t p) { return list[p]; }, at, size, std::int64_t(column));
        }
        if (at == size || list[at] != column) {
          for (std::int64_t p = size; p > at; --p) list[p] = list[p - 1];
          list[at] = column;
          ++size;
        }
        ++at;
      }
    }
    return size;
  }
};

/// The structure of op(A) B.
///
/// Async    waits for `exec`. Scratch memory for the columns of some rows at a time, 256 MiB or one row's.
template <class Exec, class Rows, class Ordinal, class Offset, class Space>
BcsrGraph<Ordinal, Offset, Space> product_graph(const Exec& exec, const Rows& a,
                                                const BcsrGraph<Ordinal, Offset, Space>& b) {
  using Graph = BcsrGraph<Ordinal, Offset, Space>;
  using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
  using Kokkos::view_alloc;
  using Kokkos::WithoutInitializing;
  const std::int64_t n = a.num_rows;
  const ColumnsOfProduct<Rows, Graph> columns{a, b.row_ptr(), b.col_idx()};

  // Where each row's list begins, were they all there.
  const Kokkos::View<std::int64_t*, Space> begin(view_alloc(WithoutInitializing, "ashlar::product.begin"),
                                                 std::size_t(n) + 1);
  std::int64_t candidates = 0;
  Kokkos::parallel_scan(
      "ashlar::product[candidates]", Policy(exec, 0, n + 1),
      KOKKOS_LAMBDA(std::int64_t i, std::int64_t & sum, bool last) {
        if (last) begin(i) = sum;
        if (i < n) sum += columns.most(i);
      },
      candidates);
  exec.fence("ashlar::product: candidates");

  // Rows whose lists fit the scratch memory take it together.
  constexpr std::int64_t scratch_entries = (std::int64_t(256) << 20) / std::int64_t(sizeof(Ordinal));
  std::vector<std::int64_t> first_rows{0}, first_entries{0};
  if (candidates > scratch_entries) {
    const auto here = Kokkos::create_mirror_view(WithoutInitializing, begin);
    Kokkos::deep_copy(exec, here, begin);
    exec.fence("ashlar::product: where lists begin");
    for (std::int64_t i = 1; i < n; ++i) {
      if (here(i + 1) - first_entries.back() <= scratch_entries) continue;
      first_rows.push_back(i);
      first_entries.push_back(here(i));
    }
  }
  first_rows.push_back(n);
  first_entries.push_back(candidates);
  const Kokkos::View<std::int64_t*, Space> count(view_alloc(WithoutInitializing, "ashlar::product.count"),
                                                 std::size_t(n));
  {
    Kokkos::View<Ordinal*, Space> lists;
    for (std::size_t chunk = 0; chunk + 1 < first_rows.size(); ++chunk) {
      const std::int64_t offset = first_entries[chunk];
      const auto size = static_cast<std::size_t>(first_entries[chunk + 1] - offset);
      if (lists.extent(0) < size) {
        exec.fence("ashlar::product: lists before");
        lists = {};
        lists = Kokkos::View<Ordinal*, Space>(view_alloc(WithoutInitializing, "ashlar::product.lists"), size);
      }
      Kokkos::parallel_for(
          "ashlar::product[count]", Policy(exec, first_rows[chunk], first_rows[chunk + 1]),
          KOKKOS_LAMBDA(std::int64_t i) { count(i) = columns.collect(i, lists.data() + (begin(i) - offset)); });
    }
    exec.fence("ashlar::product: counted");
  }

  const Kokkos::View<Offset*, Space> row_ptr(view_alloc(WithoutInitializing, "ashlar::row_ptr"), std::size_t(n) + 1);
  std::int64_t total = 0;
  Kokkos::parallel_scan(
      "ashlar::product[scan]", Policy(exec, 0, n + 1),
      KOKKOS_LAMBDA(std::int64_t i, std::int64_t & sum, bool last) {
        if (last) row_ptr(i) = static_cast<Offset>(sum);
        if (i < n) sum += count(i);
      },
      total);
  exec.fence("ashlar::product: number of blocks");
  if (total > most_blocks<Offset>) {
    throw ShapeError(text("MatrixProduct: ", total, " blocks"), text("the offset type counts to ", most_blocks<Offset>),
                     "use a matrix type with std::int64_t offsets");
  }
  const Kokkos::View<Ordinal*, Space> col_idx(view_alloc(WithoutInitializing, "ashlar::col_idx"), std::size_t(total));
  Kokkos::parallel_for(
      "ashlar::product[columns]", Policy(exec, 0, n),
      KOKKOS_LAMBDA(std::int64_t i) { columns.collect(i, col_idx.data() + row_ptr(i)); });
  return Graph(b.num_block_cols(), row_ptr, col_idx);
}

}  // namespace ashlar::impl
