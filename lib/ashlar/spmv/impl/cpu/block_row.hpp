#pragma once

#include <ashlar/base/scalar.hpp>
#include <ashlar/bcsr/block.hpp>
#include <ashlar/spmv/block_sizes.hpp>
#include <ashlar/spmv/impl/cpu/pack.hpp>
#include <ashlar/spmv/impl/cpu/prefetch.hpp>
#include <bit>
#include <cstdint>
#include <type_traits>

namespace ashlar::impl {

/// The common part of the strategies to sum a block row on a CPU. A complex number is two real ones here. `Lanes`
/// numbers fill a register, or as much of one as a column or row of the block has numbers for. Values are prefetched
/// `ahead` bytes before they are used, or not (0).
template <class Rows, int Lanes>
struct CpuBlockRow {
  using Scalar = typename Rows::scalar_type;
  using Real = real_t<Scalar>;
  using RealValue = real_t<typename Rows::value_type>;
  using Numbers = Pack<Real, Lanes>;
  static constexpr int b = Rows::compiled_block_size;
  static constexpr int capacity = b > 0 ? b : max_block_size;
  static constexpr int parts = is_complex_v<Scalar> ? 2 : 1;

  /// Before the numbers of a column or row of a block are used.
  [[gnu::always_inline]] static void prefetch_numbers(const RealValue* begin, int count, int ahead) {
    if constexpr (prefetch_before<Rows>() == PrefetchBefore::columns) {
      if (ahead > 0) prefetch(begin, begin + count, ahead);
    }
  }

  /// block(values, x, u) for each of the entries begin .. end - 1, AtATime of them in a round, in which u counts them.
  template <int AtATime, class Block>
  [[gnu::always_inline]] static void for_blocks(const Rows& rows, std::int64_t begin, std::int64_t end, int ahead,
                                                const Block& block) {
    const auto take = [&](std::int64_t k, auto which) __attribute__((always_inline)) {
      block(reinterpret_cast<const RealValue*>(rows.block(k)), reinterpret_cast<const Real*>(rows.x_of(k)), which);
    };
    in_groups<AtATime>(
        rows, begin, end, ahead, [&](std::int64_t k, std::int64_t stop) __attribute__((always_inline)) {
          if constexpr (AtATime > 1) {
            for (; k + AtATime <= stop; k += AtATime) {
              each<0, AtATime>(
                  AtATime, [&](auto u) __attribute__((always_inline)) { take(k + u, u); });
            }
          }
          for (; k < stop; ++k) take(k, std::integral_constant<int, 0>{});
        });
  }
};

/// The sum of a block row whose blocks are stored by columns: each column times its entry of x, in registers that hold
/// rows of the block, in the order in which the numbers lie in memory.
///
///   column      | 0  1  2  3  4  5  6 |      b = 7, 4 lanes: the last register begins where it ends with the column;
///   registers   | a  a  a  a          |      row 3 is summed twice and stored once
///               |          b  b  b  b |
///
/// In a complex block each number is multiplied by the real and by the imaginary part of x separately; the end of the
/// function combines them.
template <class Rows, int Lanes>
struct CpuByColumns : CpuBlockRow<Rows, Lanes> {
  using Base = CpuBlockRow<Rows, Lanes>;
  using Base::b;
  using Base::capacity;
  using Base::parts;
  using typename Base::Numbers;
  using typename Base::Real;
  using typename Base::RealValue;
  using typename Base::Scalar;
  static constexpr int registers = b > 0 ? (parts* b + Lanes - 1) / Lanes : 0;  // of a column
  static constexpr int whole = b > 0 ? parts* b / Lanes : 0;                    // of these hold rows of their own
  static constexpr int most_registers = (parts * capacity + Lanes - 1) / Lanes;

  /// An addition takes some cycles, and the next one to the same sum waits for it: if a column is few registers, the
  /// columns are distributed over several sums. In small blocks the sums cover several blocks.
  static constexpr int enough_sums = 8;
  static constexpr int places = registers > 0 ? enough_sums / (parts * registers) : 0;
  static constexpr int sums_that_fit = places > 0 ? static_cast<int>(std::bit_floor(unsigned(places))) : 1;
  static constexpr int most_sums = sums_that_fit < 4 ? sums_that_fit : 4;
  static constexpr int at_a_time = b > 0 && b <= most_sums / 2 ? most_sums / b : 1;
  static constexpr int sums = b > 0 && at_a_time* b < most_sums ? at_a_time* b : most_sums;

  using Sums = Numbers[sums][parts][most_registers];

  [[gnu::always_inline]] static int first_of(int which, int height) {
    return which * Lanes + Lanes <= height ? which * Lanes : height - Lanes;
  }

  [[gnu::always_inline]] static void add_column(const RealValue* column, const Real* x, int height,
                                                Numbers (&sum)[parts][most_registers]) {
    Real factor[parts];
    for (int part = 0; part < parts; ++part) factor[part] = x[part];
    const auto add = [&](int first, auto which) __attribute__((always_inline)) {
      Numbers value;
      load_pack<Real, Lanes>(column + first, value);
      for (int part = 0; part < parts; ++part) sum[part][which] += value * factor[part];
    };
    each<0, whole>(
        height / Lanes, [&](auto which) __attribute__((always_inline)) { add(which * Lanes, which); });
    if (height % Lanes != 0) add(height - Lanes, registers > 0 ? registers - 1 : height / Lanes);
  }

  /// Adds the columns of a block alternately to the sums, from sum number `first` on.
  template <int First>
  [[gnu::always_inline]] static void add_block(const RealValue* block, const Real* x, int height, int width, int ahead,
                                               Sums& sum) {
    const auto add = [&](int column, auto which) __attribute__((always_inline)) {
      Base::prefetch_numbers(block + column * height, height, ahead);
      add_column(block + column * height, x + column * parts, height, sum[(First + which) % sums]);
    };
    for (int group = 0; group < width / sums; ++group) {
      each<0, sums>(
          sums, [&](auto c) __attribute__((always_inline)) { add(group * sums + c, c); });
    }
    each<0, b % sums>(
        0, [&](auto c) __attribute__((always_inline)) { add(width / sums * sums + c, c); });
  }

  static void sum_up(const Rows& rows, std::int64_t begin, std::int64_t end, int ahead, Scalar (&result)[capacity]) {
    const int width = rows.cols_of_block(), height = parts * rows.rows_of_block();
    const int count = (height + Lanes - 1) / Lanes;
    Sums sum;
    for (int s = 0; s < sums; ++s) {
      for (int part = 0; part < parts; ++part) {
        each<0, registers>(
            count, [&](auto which) __attribute__((always_inline)) { sum[s][part][which] = Numbers{}; });
      }
    }
    Base::template for_blocks<at_a_time>(
        rows, begin, end, ahead, [&](const RealValue* block, const Real* x, auto u) __attribute__((always_inline)) {
          add_block<decltype(u)::value * b % sums>(block, x, height, width, ahead, sum);
        });
    Real number[parts][parts * capacity];
    for (int part = 0; part < parts; ++part) {
      each<0, registers>(
          count, [&](auto which) __attribute__((always_inline)) {
            Numbers all = sum[0][part][which];
            for (int s = 1; s < sums; ++s) all += sum[s][part][which];
            __builtin_memcpy(number[part] + first_of(which, height), &all, sizeof(all));
          });
    }
    const Real sign = rows.a.conjugate ? Real(-1) : Real(1);  // of the imaginary parts
    for (int row = 0; row < rows.rows_of_block(); ++row) {
      if constexpr (parts == 1) {
        result[row] = number[0][row];
      } else {
        result[row] = Scalar(number[0][2 * row] - sign * number[1][2 * row + 1],
                             sign * number[0][2 * row + 1] + number[1][2 * row]);
      }
    }
  }
};

/// The sum of a block row whose blocks are stored by rows: each row times the block's part of x, in registers that hold
/// columns of the block. The numbers of a register are added up at the end of the block row.
///
/// If a row is not whole registers, the last one ends with the row and has sums of its own. Only the sums that no other
/// register has are used. In a complex block each number is multiplied by its counterpart in x, and by the other part
/// of it.
template <class Rows, int Lanes>
struct CpuByRows : CpuBlockRow<Rows, Lanes> {
  using Base = CpuBlockRow<Rows, Lanes>;
  using Base::b;
  using Base::capacity;
  using Base::parts;
  using typename Base::Numbers;
  using typename Base::Real;
  using typename Base::RealValue;
  using typename Base::Scalar;
  static constexpr int whole = b > 0 ? parts* b / Lanes : 0;  // registers of a row
  static constexpr int most_whole = parts * capacity / Lanes;
  /// Small blocks are distributed over several sums.
  static constexpr int bytes = b * b * static_cast<int>(sizeof(typename Rows::value_type));
  static constexpr int at_a_time = bytes == 0 || bytes > 64 ? 1 : bytes > 32 ? 2 : 4;
  static constexpr bool may_end_within = b > 0 ? parts* b % Lanes != 0 : Lanes > 1;

  /// x := the entries from `from` on, or if `part` is 1 these with real and imaginary parts exchanged.
  [[gnu::always_inline]] static void load_x(const Real* from, int part, Numbers& x) {
    if constexpr (parts == 2) {
      if (part == 1) {
        Real exchanged[Lanes];
        for (int lane = 0; lane < Lanes; ++lane) exchanged[lane] = from[lane ^ 1];
        return load_pack<Real, Lanes>(exchanged, x);
      }
    }
    load_pack<Real, Lanes>(from, x);
  }

  /// The sum of a register's numbers from lane `first` on. For complex numbers: the real part of the products with x
  /// (part 0), or the imaginary part of the products with x exchanged. Contributions of A's imaginary part have `sign`.
  [[gnu::always_inline]] static Real added_up(const Numbers& numbers, int first, int part, Real sign) {
    if constexpr (parts == 1) {
      if (first == 0) return sum_of_lanes<Real, Lanes>(numbers);
    }
    Real sum = 0;
    for (int lane = first; lane < Lanes; ++lane) {
      const Real number = lane_of<Real, Lanes>(numbers, lane);
      sum += parts == 1 || lane % 2 == 0 ? number : part == 0 ? -sign * number : sign * number;
    }
    return sum;
  }

  static void sum_up(const Rows& rows, std::int64_t begin, std::int64_t end, int ahead, Scalar (&result)[capacity]) {
    const int height = rows.rows_of_block(), width = parts * rows.cols_of_block();
    const int count = width / Lanes, rest = width % Lanes;
    const Real sign = rows.a.conjugate ? Real(-1) : Real(1);
    Numbers sum[at_a_time][parts][capacity], last[at_a_time][parts][may_end_within ? capacity : 1];
    for (int u = 0; u < at_a_time; ++u) {
      for (int part = 0; part < parts; ++part) {
        each<0, b>(
            height, [&](auto row) __attribute__((always_inline)) {
              sum[u][part][row] = Numbers{};
              if constexpr (may_end_within) last[u][part][row] = Numbers{};
            });
      }
    }
    Base::template for_blocks<at_a_time>(
        rows, begin, end, ahead, [&](const RealValue* block, const Real* x, auto u) __attribute__((always_inline)) {
          Numbers x_whole[parts][most_whole];
          [[maybe_unused]] Numbers x_last[parts];
          for (int part = 0; part < parts; ++part) {
            x_whole[part][0] = Numbers{};  // as far as a compiler knows, a row may be less than a register
            each<0, whole>(
                count, [&](auto which)
                           __attribute__((always_inline)) { load_x(x + which * Lanes, part, x_whole[part][which]); });
            if constexpr (may_end_within) load_x(x + width - Lanes, part, x_last[part]);
          }
          each<0, b>(
              height, [&](auto row) __attribute__((always_inline)) {
                const RealValue* const from = block + row * width;
                Base::prefetch_numbers(from, width, ahead);
                Numbers some[parts];
                Numbers first;
                load_pack<Real, Lanes>(from, first);
                for (int part = 0; part < parts; ++part) some[part] = first * x_whole[part][0];
                each<1, whole>(
                    count, [&](auto which) __attribute__((always_inline)) {
                      Numbers value;
                      load_pack<Real, Lanes>(from + which * Lanes, value);
                      for (int part = 0; part < parts; ++part) some[part] += value * x_whole[part][which];
                    });
                for (int part = 0; part < parts; ++part) sum[u][part][row] += some[part];
                if constexpr (may_end_within) {
                  Numbers value;
                  load_pack<Real, Lanes>(from + width - Lanes, value);
                  for (int part = 0; part < parts; ++part) last[u][part][row] += value * x_last[part];
                }
              });
        });
    each<0, b>(
        height, [&](auto row) __attribute__((always_inline)) {
          Real number[parts];
          for (int part = 0; part < parts; ++part) {
            Numbers all = sum[0][part][row];
            for (int u = 1; u < at_a_time; ++u) all += sum[u][part][row];
            number[part] = added_up(all, 0, part, sign);
            if constexpr (may_end_within) {
              all = last[0][part][row];
              for (int u = 1; u < at_a_time; ++u) all += last[u][part][row];
              number[part] += added_up(all, Lanes - rest, part, sign);
            }
          }
          if constexpr (parts == 1) {
            result[row] = number[0];
          } else {
            result[row] = Scalar(number[0], number[1]);
          }
        });
  }
};

/// The sum of a row of real numbers, b = 1: a register holds neighbouring entries of the row. Loads are the bound,
/// where it is not memory. Values are prefetched to a cache that is compiled in, as a row is too short to ask in.
template <class Rows, int Lanes, PrefetchTo To>
struct CpuByEntries {
  using Scalar = typename Rows::scalar_type;
  using Ordinal = typename Rows::ordinal_type;
  static constexpr int capacity = 1;
  static constexpr int registers = 4, at_a_time = registers * Lanes;

  [[gnu::always_inline]] static void sum_up(const Rows& rows, std::int64_t begin, std::int64_t end,
                                            [[maybe_unused]] int ahead, Scalar (&result)[capacity]) {
    Pack<Scalar, Lanes> sum{};
    Pack<Scalar, 2> rest{};
    std::int64_t k = begin;
    for (; k + at_a_time <= end; k += at_a_time) {
      prefetch_piece<To>(rows.a.values + k, at_a_time, ahead);
      Pack<Scalar, Lanes> first, second, third, fourth;
      load_products<Lanes>(rows, k, first);
      load_products<Lanes>(rows, k + Lanes, second);
      load_products<Lanes>(rows, k + 2 * Lanes, third);
      load_products<Lanes>(rows, k + 3 * Lanes, fourth);
      sum += (first + second) + (third + fourth);
    }
    prefetch_piece<To>(rows.a.values + k, end - k, ahead);
    for (; k + 2 <= end; k += 2) {
      Pack<Scalar, 2> product;
      load_products<2>(rows, k, product);
      rest += product;
    }
    if (k < end) rest[0] += Scalar(*rows.block(k)) * *rows.x_of(k);
    result[0] = (rest[0] + rest[1]) + sum_of_lanes<Scalar, Lanes>(sum);
  }

 private:
  /// x := its entries for `Count` entries of the row. Two columns of 32 bits are one load.
  template <int Count>
  [[gnu::always_inline]] static void load_x(const Rows& rows, std::int64_t k, Pack<Scalar, Count>& x) {
    if constexpr (sizeof(Ordinal) == 4 && std::endian::native == std::endian::little) {
      for (int lane = 0; lane < Count; lane += 2) {
        std::uint64_t two;
        __builtin_memcpy(&two, rows.a.col_idx + k + lane, sizeof(two));
        x[lane] = rows.a.x[std::uint32_t(two)];
        x[lane + 1] = rows.a.x[two >> 32];
      }
    } else {
      for (int lane = 0; lane < Count; ++lane) x[lane] = *rows.x_of(k + lane);
    }
  }

  template <int Count>
  [[gnu::always_inline]] static void load_products(const Rows& rows, std::int64_t k, Pack<Scalar, Count>& product) {
    Pack<Scalar, Count> value{}, x{};
    if constexpr (Rows::is_indirect) {
      for (int lane = 0; lane < Count; ++lane) value[lane] = Scalar(*rows.block(k + lane));
    } else {
      load_pack<Scalar, Count>(rows.block(k), value);
    }
    load_x<Count>(rows, k, x);
    product = value * x;
  }
};

}  // namespace ashlar::impl
