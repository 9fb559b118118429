#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/bcsr/row_ranges.hpp>
#include <ashlar/host/instruction_set.hpp>
#include <ashlar/spmv/impl/cpu/block_row.hpp>
#include <ashlar/spmv/impl/cpu/block_row_multi.hpp>
#include <ashlar/spmv/impl/operands/arguments.hpp>
#include <ashlar/spmv/impl/operands/vectors.hpp>
#include <cstdint>
#include <type_traits>

namespace ashlar::impl {

/// The block rows first .. last - 1, one after another, compiled for each instruction set.
///
/// product.with_set<Set>(rows, loop) calls loop(multiply) with the function that fits the set and the blocks. The loop
/// calls multiply(rows, block row, begin, end) with the entries of each block row.
template <class Rows, class Product>
struct LoopOverBlockRows {
  const Rows& rows;
  const Product& product;
  std::int64_t first, last;

  template <InstructionSet Set>
  void operator()() const {
    product.template with_set<Set>(
        rows, [&](const auto& multiply) __attribute__((always_inline)) {
          // A copy: as far as a compiler knows, a store to y might change the member.
          const Rows own = rows;
          const std::int64_t end = last;
          for (std::int64_t row = first; row < end; ++row) {
            const EntryRange range = own.entries_of(row);
            if (range.is_there) multiply(own, row, range.begin, range.end);
          }
        });
  }
};

/// A thread of a CPU takes a range of block rows. These are the plan's ranges, which are of about equal work; where it
/// has none all of them for a thread that is alone, else block rows one by one. Serves every b up to max_block_size.
/// Source: Eberhardt & Hoemmen 2016, single-level parallel algorithm.
template <class Rows, class Product>
struct BlockRowRanges {
  Rows rows;
  RowRanges first_row;
  bool is_alone;
  InstructionSet set;
  Product product;

  std::int64_t count() const {
    if (first_row.extent(0) > 0) return std::int64_t(first_row.extent(0)) - 1;
    return is_alone && rows.a.num_block_rows > 0 ? 1 : rows.a.num_block_rows;
  }

  void operator()(std::int64_t which) const {
    const bool planned = first_row.extent(0) > 0;
    [[maybe_unused]] const std::int64_t first = planned ? first_row(which) : which;
    [[maybe_unused]] const std::int64_t last = planned    ? first_row(which + 1)
                                               : is_alone ? rows.a.num_block_rows
                                                          : which + 1;
    // Not to be seen by a compiler for devices: vector registers are nothing to it.
    KOKKOS_IF_ON_HOST((call_with(set, LoopOverBlockRows<Rows, Product>{rows, product, first, last});))
  }
};

/// Block row ranges of any type, by reference: a compiler makes Kokkos' launch once instead of for each block size. It
/// takes as long for a launch as for a product of small blocks.
struct AnyBlockRowRanges {
  const void* ranges;
  void (*multiply)(const void* ranges, std::int64_t which);

  template <class Rows, class Product>
  explicit AnyBlockRowRanges(const BlockRowRanges<Rows, Product>& of)
      : ranges(&of), multiply([](const void* any, std::int64_t which) {
          (*static_cast<const BlockRowRanges<Rows, Product>*>(any))(which);
        }) {}

  void operator()(std::int64_t which) const { multiply(ranges, which); }
};

/// A thread's work for block rows with one vector.
template <class Rows>
struct OneVector {
  int prefetch_bytes;

  template <InstructionSet Set, class Loop>
  [[gnu::always_inline]] void with_set(const Rows& rows, const Loop& loop) const {
    using Scalar = typename Rows::scalar_type;
    using Real = real_t<Scalar>;
    constexpr int b = Rows::compiled_block_size, parts = is_complex_v<Scalar> ? 2 : 1;
    constexpr int widest = register_bytes(Set) / static_cast<int>(sizeof(Real));
    constexpr bool by_columns = std::is_same_v<typename Rows::layout_type, BlockColumnMajor>;
    const auto with_lanes = [&](auto lanes) __attribute__((always_inline)) {
      with_sum<std::conditional_t<by_columns, CpuByColumns<Rows, lanes()>, CpuByRows<Rows, lanes()>>>(loop);
    };
    if constexpr (b == 1 && parts == 1) {
      // Entries of x are gathered one by one: registers of more than four would not pay.
      constexpr int lanes = widest < 4 ? widest : 4;
      if constexpr (can_prefetch(b, !Rows::is_indirect)) {
        const PrefetchTo to = prefetch_to(prefetch_bytes);
        if (to == PrefetchTo::first_cache) return with_sum<CpuByEntries<Rows, lanes, PrefetchTo::first_cache>>(loop);
        if (to == PrefetchTo::second_cache) return with_sum<CpuByEntries<Rows, lanes, PrefetchTo::second_cache>>(loop);
      }
      with_sum<CpuByEntries<Rows, lanes, PrefetchTo::nothing>>(loop);
    } else if constexpr (b > 0) {
      with_lanes(std::integral_constant<int, lanes_for<Real, Set>(parts * b)>{});
    } else {
      // A contiguous part: a column, or a row.
      const int length = by_columns ? rows.rows_of_block() : rows.cols_of_block();
      if (parts * length >= widest) {
        with_lanes(std::integral_constant<int, widest>{});
      } else {
        with_lanes(std::integral_constant<int, parts>{});
      }
    }
  }

 private:
  template <class Sum, class Loop>
  [[gnu::always_inline]] void with_sum(const Loop& loop) const {
    loop([ahead = prefetch_bytes](const Rows& rows, std::int64_t row, std::int64_t begin, std::int64_t end)
             __attribute__((always_inline)) {
               typename Rows::scalar_type sum[Sum::capacity];
               Sum::sum_up(rows, begin, end, ahead, sum);
               for (int r = 0; r < rows.rows_of_block(); ++r) rows.store(row, r, sum[r]);
             });
  }
};

/// The same where there are several: one panel of vectors after the other. For the second panel on the block row comes
/// from a cache.
template <class Rows>
struct SomeVectors {
  MultiVectors<typename Rows::scalar_type> vectors;

  template <InstructionSet Set, class Loop>
  [[gnu::always_inline]] void with_set(const Rows&, const Loop& loop) const {
    loop([this](const Rows& rows, std::int64_t row, std::int64_t begin, std::int64_t end)
             __attribute__((always_inline)) {
               const int n = vectors.num_vectors;
               int first = 0;
               for (; n - first > 4; first += 8) {
                 CpuBlockRowMulti<Rows, Set, 8>::multiply(rows, vectors, row, begin, end, first);
               }
               if (first < n) CpuBlockRowMulti<Rows, Set, 4>::multiply(rows, vectors, row, begin, end, first);
             });
  }
};

/// The same for single entries with contiguous vectors.
template <class Rows>
struct EntriesOfSomeVectors {
  MultiVectors<typename Rows::scalar_type> vectors;
  int prefetch_bytes;

  template <InstructionSet Set, class Loop>
  [[gnu::always_inline]] void with_set(const Rows&, const Loop& loop) const {
    loop(CpuEntriesMulti<Rows, Set>{vectors, prefetch_bytes});
  }
};

}  // namespace ashlar::impl
