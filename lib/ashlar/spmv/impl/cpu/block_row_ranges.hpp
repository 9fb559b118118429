#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/bcsr/row_ranges.hpp>
#include <ashlar/spmv/impl/cpu/block_row.hpp>
#include <ashlar/spmv/impl/cpu/block_row_multi.hpp>
#include <ashlar/spmv/impl/launch/spmv_launch.hpp>
#include <ashlar/spmv/impl/operands/arguments.hpp>
#include <ashlar/spmv/impl/operands/vectors.hpp>
#include <cstdint>
#include <type_traits>

namespace ashlar::impl {

/// A thread of a CPU takes a range of block rows, one after another: product.multiply(rows, block row, begin, end) with
/// its entries. These are the plan's ranges, which are of about equal work; where it has none all of them for a thread
/// that is alone, else block rows one by one. Serves every b up to max_block_size.
/// Source: Eberhardt & Hoemmen 2016, single-level parallel algorithm.
template <class Rows, class Product>
struct BlockRowRanges {
  Rows rows;
  RowRanges first_row;
  bool is_alone;
  Product product;

  std::int64_t count() const {
    if (first_row.extent(0) > 0) return std::int64_t(first_row.extent(0)) - 1;
    return is_alone && rows.a.num_block_rows > 0 ? 1 : rows.a.num_block_rows;
  }

  void operator()(std::int64_t which) const {
    const bool planned = first_row.extent(0) > 0;
    const std::int64_t first = planned ? first_row(which) : which;
    const std::int64_t last = planned ? first_row(which + 1) : is_alone ? rows.a.num_block_rows : which + 1;
    // A copy: as far as a compiler knows, a store to y might change the member.
    const Rows own = rows;
    for (std::int64_t row = first; row < last; ++row) {
      const EntryRange range = own.entries_of(row);
      if (!range.is_there) continue;
      // Not to be seen by a compiler for devices: vector registers are nothing to it.
      KOKKOS_IF_ON_HOST((product.multiply(own, row, range.begin, range.end);))
    }
  }
};

/// A thread's work for a block row with one vector.
template <class Rows, class Sum>
struct OneVector {
  int prefetch_bytes;

  [[gnu::always_inline]] void multiply(const Rows& rows, std::int64_t row, std::int64_t begin, std::int64_t end) const {
    typename Rows::scalar_type sum[Sum::capacity];
    Sum::sum_up(rows, begin, end, prefetch_bytes, sum);
    for (int r = 0; r < rows.rows_of_block(); ++r) rows.store(row, r, sum[r]);
  }
};

/// The same where there are several: one panel of vectors after the other. For the second panel on the block row comes
/// from a cache.
template <class Rows>
struct SomeVectors {
  MultiVectors<typename Rows::scalar_type> vectors;

  void multiply(const Rows& rows, std::int64_t row, std::int64_t begin, std::int64_t end) const {
    const int n = vectors.num_vectors;
    int first = 0;
    for (; n - first > 4; first += 8) CpuBlockRowMulti<Rows, 8>::multiply(rows, vectors, row, begin, end, first);
    if (first < n) CpuBlockRowMulti<Rows, 4>::multiply(rows, vectors, row, begin, end, first);
  }
};

/// Calls start(product) with the product over ranges that fits the block size and layout of `rows`. `is_alone`: by a
/// single thread.
template <class Rows, class Start>
void with_block_row_ranges(const Rows& rows, const SpmvLaunch& launch, bool is_alone, const Start& start) {
  using Scalar = typename Rows::scalar_type;
  using Real = real_t<Scalar>;
  constexpr int b = Rows::compiled_block_size, parts = is_complex_v<Scalar> ? 2 : 1;
  constexpr int widest = register_bytes / static_cast<int>(sizeof(Real));
  constexpr bool by_columns = std::is_same_v<typename Rows::layout_type, BlockColumnMajor>;
  // A contiguous part: a column, or a row.
  [[maybe_unused]] const int length = by_columns ? rows.rows_of_block() : rows.cols_of_block();
  const auto with_lanes = [&](auto lanes) {
    using Sum = std::conditional_t<by_columns, CpuByColumns<Rows, lanes()>, CpuByRows<Rows, lanes()>>;
    start(BlockRowRanges<Rows, OneVector<Rows, Sum>>{rows, launch.first_row, is_alone, {launch.prefetch_bytes}});
  };
  if constexpr (b == 1 && parts == 1) {
    // Entries of x are gathered one by one: registers of more than four would not pay.
    const auto with_prefetch = [&](auto to) {
      using Sum = CpuByEntries<Rows, (widest < 4 ? widest : 4), to()>;
      start(BlockRowRanges<Rows, OneVector<Rows, Sum>>{rows, launch.first_row, is_alone, {launch.prefetch_bytes}});
    };
    const PrefetchTo to = prefetch_to(launch.prefetch_bytes);
    if constexpr (can_prefetch(b, !Rows::is_indirect)) {
      if (to == PrefetchTo::first_cache)
        return with_prefetch(std::integral_constant<PrefetchTo, PrefetchTo::first_cache>{});
      if (to == PrefetchTo::second_cache)
        return with_prefetch(std::integral_constant<PrefetchTo, PrefetchTo::second_cache>{});
    }
    with_prefetch(std::integral_constant<PrefetchTo, PrefetchTo::nothing>{});
  } else if constexpr (b > 0) {
    with_lanes(std::integral_constant<int, lanes_for<Real>(parts * b)>{});
  } else if (parts * length >= widest) {
    with_lanes(std::integral_constant<int, widest>{});
  } else {
    with_lanes(std::integral_constant<int, parts>{});
  }
}

}  // namespace ashlar::impl
