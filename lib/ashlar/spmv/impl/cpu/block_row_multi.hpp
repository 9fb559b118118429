#pragma once

#include <algorithm>
#include <ashlar/base/scalar.hpp>
#include <ashlar/spmv/block_sizes.hpp>
#include <ashlar/spmv/impl/cpu/pack.hpp>
#include <ashlar/spmv/impl/cpu/prefetch.hpp>
#include <ashlar/spmv/impl/operands/arguments.hpp>
#include <ashlar/spmv/impl/operands/vectors.hpp>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace ashlar::impl {

/// A block row times a panel of some vectors on a CPU. A register holds the entries of neighbouring vectors; each value
/// of a block is multiplied by the entries of its column, and added to the sums of its row:
///
///   column of the block   | a |      | x x x x x x x x |   the panel's entries of one row of X, in `packs` registers
///   (or T of its rows)    | a |  *
///                         | a |      | s s s s s s s s |   a row of sums for each value: T * packs registers, of
///                                    | s s s s s s s s |   complex numbers twice as many
///                                    | s s s s s s s s |
///
/// If a block has at most as many rows as there are registers for, the sums stay there for the whole block row;
/// otherwise some rows at a time, for the columns of one block. A complex number is two real ones here: real and
/// imaginary parts of the values are multiplied separately, and combined at the end.
template <class Rows, InstructionSet Set, int Vectors>
class CpuBlockRowMulti {
 public:
  using Scalar = typename Rows::scalar_type;

  /// y := alpha*A*x + beta*y for the rows of a block row, whose entries are begin .. end - 1, and the panel that begins
  /// with vector `first`, which may have fewer vectors than Vectors.
  static void multiply(const Rows& rows, const MultiVectors<Scalar>& vectors, std::int64_t block_row,
                       std::int64_t begin, std::int64_t end, int first) {
    const int count = std::min(vectors.num_vectors - first, Vectors), R = rows.rows_of_block();
    Panel panel{vectors.x.row_stride, {}};
    for (int v = 0; v < Vectors; ++v) panel.vector[v] = &vectors.x(0, first + std::min(v, count - 1));
    Sum sum[max_block_size];
    if (count == Vectors && vectors.are_by_rows()) {
      sum_up<true>(rows, panel, begin, end, sum);
    } else {
      sum_up<false>(rows, panel, begin, end, sum);
    }
    const std::int64_t row_of_y = rows.row_of_y(block_row);
    for (int row = 0; row < R; ++row) {
      Scalar result[Vectors];
      combine(rows, sum[row], result);
      for (int v = 0; v < count; ++v) rows.store(vectors, row_of_y + row, first + v, result[v]);
    }
  }

 private:
  using Real = real_t<Scalar>;
  using RealValue = real_t<typename Rows::value_type>;
  static constexpr int parts = is_complex_v<Scalar> ? 2 : 1;
  static constexpr int lanes = lanes_for<Real, Set>(parts * Vectors), packs = parts * Vectors / lanes;
  static_assert(parts * Vectors == packs * lanes);
  using Numbers = Pack<Real, lanes>;
  /// The registers for sums, of a CPU's 16 or 32; and the number of rows that they are enough for.
  static constexpr int registers = register_bytes(Set) == 64 ? 24 : 12;
  static constexpr int most_rows = std::clamp(registers / (packs * parts), 1, 8);

  struct Panel {
    std::int64_t row_stride;
    const Scalar* vector[Vectors];  // where the panel is not full, the last stands for those that are not there
  };
  struct Sum {
    Numbers pack[parts][packs];
  };

  /// sum := the blocks of entries begin .. end - 1 times their rows of X: all rows of a block at a time if the
  /// registers are enough, otherwise tiles of about as many rows each, as a small last tile would load X for few rows.
  template <bool SideBySide>
  [[gnu::always_inline]] static void sum_up(const Rows& rows, const Panel& panel, std::int64_t begin, std::int64_t end,
                                            Sum* sum) {
    const int R = rows.rows_of_block();
    if (R <= most_rows) return add_rows<most_rows, SideBySide, true>(rows, panel, begin, end, 0, R, sum);
    for (int row = 0; row < R; ++row) sum[row] = Sum{};
    const int tiles = (R + most_rows - 1) / most_rows, tile = (R + tiles - 1) / tiles;
    for (std::int64_t k = begin; k < end; ++k) {
      for (int row = 0; row < R; row += tile) {
        add_rows<most_rows, SideBySide, false>(rows, panel, k, k + 1, row, std::min(tile, R - row), sum + row);
      }
    }
  }

  /// Multiplies rows `row` .. row + count - 1 of the blocks, T at most, in registers. Overwrites `sum` if AreFirst, else
  /// adds to it.
  template <int T, bool SideBySide, bool AreFirst>
  static void add_rows(const Rows& rows, const Panel& panel, std::int64_t begin, std::int64_t end, int row, int count,
                       Sum* sum) {
    if constexpr (T > 1) {
      if (count < T) return add_rows<T - 1, SideBySide, AreFirst>(rows, panel, begin, end, row, count, sum);
    }
    const int C = rows.cols_of_block();
    Sum some[T];
    each<0, T>(
        T, [&](auto t) __attribute__((always_inline)) { some[t] = AreFirst ? Sum{} : sum[t]; });
    for (std::int64_t k = begin; k < end; ++k) {
      const auto* const block = reinterpret_cast<const RealValue*>(rows.block(k));
      const std::int64_t row_of_x = std::int64_t(rows.a.col_idx[k]) * C;
      for (int column = 0; column < C; ++column) {
        Numbers x[packs];
        load<SideBySide>(panel, row_of_x + column, x);
        each<0, T>(
            T, [&](auto t) __attribute__((always_inline)) {
              add_product(block + parts * rows.at(row + t, column), x, some[t]);
            });
      }
    }
    each<0, T>(
        T, [&](auto t) __attribute__((always_inline)) { sum[t] = some[t]; });
  }

  /// The panel's entries of one row of X.
  template <bool SideBySide>
  [[gnu::always_inline]] static void load(const Panel& panel, std::int64_t row, Numbers (&x)[packs]) {
    const std::int64_t offset = row * panel.row_stride;
    each<0, packs>(
        packs, [&](auto p) __attribute__((always_inline)) {
          if constexpr (SideBySide) {
            load_pack<Real, lanes>(reinterpret_cast<const Real*>(panel.vector[0] + offset) + p * lanes, x[p]);
          } else {
            Numbers entries{};
            each_of<0>(
                std::make_integer_sequence<int, lanes>(), [&](auto lane) __attribute__((always_inline)) {
                  constexpr int which = p * lanes + lane;
                  entries[int(lane)] =
                      reinterpret_cast<const Real*>(panel.vector[which / parts] + offset)[which % parts];
                });
            x[p] = entries;
          }
        });
  }

  /// sum += a value of a block times entries of X.
  [[gnu::always_inline]] static void add_product(const RealValue* value, const Numbers (&x)[packs], Sum& sum) {
    each<0, parts>(
        parts, [&](auto part) __attribute__((always_inline)) {
          const Real factor(value[part]);
          each<0, packs>(
              packs, [&](auto p) __attribute__((always_inline)) { sum.pack[part][p] += x[p] * factor; });
        });
  }

  /// The entries of a row of A*X from the sums of its parts.
  static void combine(const Rows& rows, const Sum& sum, Scalar (&result)[Vectors]) {
    Real number[parts][parts * Vectors];
    __builtin_memcpy(number, &sum, sizeof(sum));
    [[maybe_unused]] const Real sign = rows.a.conjugate ? Real(-1) : Real(1);  // of the imaginary parts
    for (int v = 0; v < Vectors; ++v) {
      if constexpr (parts == 1) {
        result[v] = number[0][v];
      } else {
        result[v] =
            Scalar(number[0][2 * v] - sign * number[1][2 * v + 1], number[0][2 * v + 1] + sign * number[1][2 * v]);
      }
    }
  }
};

/// Rows as CpuEntriesMulti takes them, whose block size is compiled in.
template <class Rows>
using SingleEntryRows = BlockRows<typename Rows::value_type, typename Rows::scalar_type, typename Rows::layout_type,
                                  typename Rows::ordinal_type, typename Rows::offset_type, 1, Rows::is_indirect>;

/// A row of real numbers, b = 1, by a thread of a CPU, with contiguous vectors: four at a time, whose sums stay in
/// registers. In the order of CpuBlockRowMulti, so with the same bits; but as part of the loop over rows, since a row
/// is short, and with values prefetched.
template <class Rows, InstructionSet Set>
struct CpuEntriesMulti {
  using Scalar = typename Rows::scalar_type;
  using Value = typename Rows::value_type;
  static_assert(Rows::compiled_block_size == 1 && !is_complex_v<Scalar>);

  MultiVectors<Scalar> vectors;
  int prefetch_bytes;

  [[gnu::always_inline]] void operator()(const Rows& rows, std::int64_t row, std::int64_t begin,
                                         std::int64_t end) const {
    const std::int64_t row_of_y = rows.row_of_y(row);
    for (int first = 0; first < vectors.num_vectors; first += panel) {
      // Missing vectors repeat the last one.
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
  static constexpr int panel = 4, lanes = lanes_for<Real, Set>(panel), packs = panel / lanes;
  using Numbers = Pack<Real, lanes>;
  /// The size of the values that are prefetched together: four lines, since with more the last ones would wait.
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
