#pragma once

#include <algorithm>
#include <ashlar/base/scalar.hpp>
#include <ashlar/spmv/impl/arguments.hpp>
#include <ashlar/spmv/impl/pack.hpp>
#include <ashlar/spmv/impl/prefetch.hpp>
#include <ashlar/spmv/impl/vectors.hpp>
#include <cstdint>

namespace ashlar::impl {

/// Rows as CpuEntriesMulti takes them, whose block size is compiled in.
template <class Rows>
using SingleEntryRows = BlockRows<typename Rows::value_type, typename Rows::scalar_type, typename Rows::layout_type,
                                  typename Rows::ordinal_type, typename Rows::offset_type, 1, Rows::is_indirect>;

/// What a thread of a CPU does with a row of real numbers, b = 1, and vectors of which each lies in one piece: four at
/// a time, of which registers hold the sums. In the order of CpuBlockRowMulti, so with the same bits; but as part of
/// the loop over rows, since a row is short, and with values prefetched.
template <class Rows>
struct CpuEntriesMulti {
  using Scalar = typename Rows::scalar_type;
  using Value = typename Rows::value_type;
  static_assert(Rows::compiled_block_size == 1 && !is_complex_v<Scalar>);

  MultiVectors<Scalar> vectors;
  int prefetch_bytes;

  [[gnu::always_inline]] void multiply(const Rows& rows, std::int64_t row, std::int64_t begin, std::int64_t end) const {
    const std::int64_t row_of_y = rows.row_of_y(row);
    for (int first = 0; first < vectors.num_vectors; first += panel) {
      // Those that are not there are the last one again.
      const int last = std::min(vectors.num_vectors - first, panel) - 1;
      const Scalar* x[panel];
      for (int v = 0; v < panel; ++v) x[v] = &vectors.x(0, first + std::min(v, last));
      Numbers sum[packs] = {};
      for (std::int64_t k = begin; k < end; k += entries_together) {
        const std::int64_t count = std::min(end - k, entries_together);
        if (first == 0) prefetch(rows, k, count);
        add(rows, k, k + count, x, sum);
      }
      for (int v = 0; v <= last; ++v) {
        rows.store(vectors, row_of_y, first + v, lane_of<Real, lanes>(sum[v / lanes], v % lanes));
      }
    }
  }

 private:
  using Real = real_t<Scalar>;  // as it is, where this serves
  static constexpr int panel = 4, lanes = lanes_for<Real>(panel), packs = panel / lanes;
  using Numbers = Pack<Real, lanes>;
  /// Of which values are prefetched at once: four lines, as of many the last would wait.
  static constexpr std::int64_t entries_together = 4 * bytes_of_line / sizeof(Value);

  [[gnu::always_inline]] void prefetch(const Rows& rows, std::int64_t k, std::int64_t count) const {
    if constexpr (!Rows::is_indirect) {
      const Value* const values = rows.a.values + k;
      const PrefetchTo to = prefetch_to(prefetch_bytes);
      if (to == PrefetchTo::first_cache) prefetch_piece<PrefetchTo::first_cache>(values, count, prefetch_bytes);
      if (to == PrefetchTo::second_cache) prefetch_piece<PrefetchTo::second_cache>(values, count, prefetch_bytes);
    }
  }

  [[gnu::always_inline]] static void add(const Rows& rows, std::int64_t begin, std::int64_t end,
                                         const Scalar* const (&x)[panel], Numbers (&sum)[packs]) {
    for (std::int64_t k = begin; k < end; ++k) {
      const std::int64_t column = rows.a.col_idx[k];
      const Scalar value(*rows.block(k));
      each<0, packs>(
          packs, [&](auto p) __attribute__((always_inline)) {
            Numbers entries{};
            each<0, lanes>(
                lanes, [&](auto lane) __attribute__((always_inline)) {
                  constexpr int which = p * lanes + lane;
                  entries[int(lane)] = x[which][column];
                });
            sum[p] += entries * value;
          });
    }
  }
};

}  // namespace ashlar::impl
