#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/blas1/blas1.hpp>
#include <ashlar/blas1/impl/entries.hpp>
#include <ashlar/device/teams/for_entries.hpp>
#include <ashlar/device/teams/team_sums.hpp>
#include <cstdint>
#include <type_traits>

// Passes over a basis of Krylov vectors: columns that lie one behind the other. The device knows how many columns there
// are, the host does not: so one graph serves each iteration of a cycle.

namespace ashlar {

/// The columns v_0, v_1, ... of a basis, as kernels take them.
template <class Scalar>
struct BasisAccess {
  Scalar* columns;
  std::int64_t rows;

  KOKKOS_FUNCTION Scalar* column(int k) const { return columns + k * rows; }
};

/// tile += factor * sum over k < count of coefficients[k] v_k, for so many rows from `first` on.
template <int most, class Scalar>
KOKKOS_INLINE_FUNCTION void add_combination(const BasisAccess<Scalar>& v, int count, double factor,
                                            const sum_t<Scalar>* coefficients, std::int64_t first, int rows,
                                            Scalar (&tile)[most]) {
  for (int k = 0; k < count; ++k) {
    const Scalar* const column = v.column(k) + first;
    const auto coefficient = Scalar(factor * coefficients[k]);
    for (int i = 0; i < rows; ++i) tile[i] += coefficient * column[i];
  }
}

namespace impl {

template <class Team>
concept team_member = requires(const Team& team) {
  team.league_rank();
};

/// Shares of so many rows. A thread holds many numbers, so that a GPU has room for three teams on a multiprocessor:
/// more shares than those would come in a second wave.
inline int basis_shares(std::int64_t rows) {
  constexpr std::int64_t rows_of_share = 1024, most = 384;
  return static_cast<int>(std::clamp<std::int64_t>((rows + rows_of_share - 1) / rows_of_share, 1, most));
}

/// One share of the rows: w -= V c, if there are coefficients c, then the sums w^H w, v_0^H w, v_1^H w, ... over it.
template <class Scalar>
struct BasisPassOfShare {
  using Sum = sum_t<Scalar>;
  static constexpr int held = 256 / sizeof(Sum);  ///< columns of which a thread of a GPU keeps entries and sums
  static constexpr int together = held / 4;

  BasisAccess<Scalar> v;
  const Sum* coefficients;  ///< none: nothing is subtracted
  Scalar* w;
  const int* count;  ///< columns
  Sum* partial;      ///< of each share, sum after sum
  std::int64_t shares;

  template <team_member Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const int columns = *count;
    if (columns == 0) return;
    if (columns <= held) {
      sum_of_columns<together>(team, 0, columns, coefficients);
      return;
    }
    if (coefficients != nullptr) {
      for (std::int64_t i = begin(team.league_rank()) + team.team_rank(); i < begin(team.league_rank() + 1);
           i += team.team_size()) {
        Scalar entry[1] = {w[i]};
        add_combination(v, columns, -1, coefficients, i, 1, entry);
        w[i] = entry[0];
      }
    }
    for (int first = 0; first < columns; first += held) {
      add_sums<held>(team, first, columns - first < held ? columns - first : held, nullptr);
    }
  }

  /// On a host: tiles of rows, which the caches hold, and eight sums side by side, which fill vector registers.
  void operator()(std::int64_t share) const {
    constexpr int lanes = 8, most = 256;
    const int columns = *count;
    if (columns == 0) return;
    for (int k = 0; k <= columns; ++k) partial[k * shares + share] = Sum(0);
    for (std::int64_t first = begin(share); first < begin(share + 1); first += most) {
      const int rows = static_cast<int>(std::min<std::int64_t>(most, begin(share + 1) - first));
      Scalar tile[most];
      for (int i = 0; i < rows; ++i) tile[i] = w[first + i];
      if (coefficients != nullptr) {
        add_combination(v, columns, -1, coefficients, first, rows, tile);
        for (int i = 0; i < rows; ++i) w[first + i] = tile[i];
      }
      for (int k = 0; k <= columns; ++k) {
        const Scalar* const factor = k == 0 ? tile : v.column(k - 1) + first;
        Sum sum[lanes] = {};
        int i = 0;
        for (; i + lanes <= rows; i += lanes) {
          for (int lane = 0; lane < lanes; ++lane) {
            sum[lane] += conj_product<Sum>(Sum(factor[i + lane]), Sum(tile[i + lane]));
          }
        }
        for (; i < rows; ++i) sum[0] += conj_product<Sum>(Sum(factor[i]), Sum(tile[i]));
        for (int lane = 1; lane < lanes; ++lane) sum[0] += sum[lane];
        partial[k * shares + share] += sum[0];
      }
    }
  }

 private:
  KOKKOS_FUNCTION std::int64_t begin(std::int64_t share) const { return begin_of_share(v.rows, share, shares); }

  /// add_sums() compiled for as few columns as there are.
  template <int most, class Team>
  KOKKOS_FUNCTION void sum_of_columns(const Team& team, int first, int columns, const Sum* subtracted) const {
    if constexpr (most < held) {
      if (columns > most) return sum_of_columns<most + together>(team, first, columns, subtracted);
    }
    add_sums<most>(team, first, columns, subtracted);
  }

  /// A thread reads each entry of up to `most` columns once and keeps it in a register for the sums. Loads have no
  /// condition, so all are in flight together. Places without a column load the first column again; their sums are
  /// dropped, and their coefficients are 0.
  template <int most, class Team>
  KOKKOS_FUNCTION void add_sums(const Team& team, int first, int columns, const Sum* subtracted) const {
    const std::int64_t share = team.league_rank(), end = begin(share + 1);
    Sum squares(0), sums[most] = {};
    for (std::int64_t i = begin(share) + team.team_rank(); i < end; i += team.team_size()) {
      Scalar entries[most], entry = w[i];
      for (int k = 0; k < most; ++k) entries[k] = v.column(first + (k < columns ? k : 0))[i];
      if (subtracted != nullptr) {
        for (int k = 0; k < most; ++k) entry -= Scalar(k < columns ? subtracted[k] : Sum(0)) * entries[k];
        w[i] = entry;
      }
      squares += conj_product<Sum>(Sum(entry), Sum(entry));
      for (int k = 0; k < most; ++k) sums[k] += conj_product<Sum>(Sum(entries[k]), Sum(entry));
    }
    if (first == 0) {
      team.team_reduce(Kokkos::Sum<Sum>(squares));
      Kokkos::single(Kokkos::PerTeam(team), [&] { partial[share] = squares; });
    }
    keep<0>(team, first, columns, sums);
  }

  /// Reduces and stores the team's sums from column `begin` on, `together` at a time.
  template <int begin, int most, class Team>
  KOKKOS_FUNCTION void keep(const Team& team, int first, int columns, const Sum (&sums)[most]) const {
    if constexpr (begin < most) {
      if (begin >= columns) return;
      SumsTogether<Sum, together> some;
      for (int u = 0; u < together; ++u) some.value[u] = sums[begin + u];
      team.team_reduce(Kokkos::Sum<SumsTogether<Sum, together>>(some));
      Kokkos::single(Kokkos::PerTeam(team), [&] {
        for (int u = 0; u < together && begin + u < columns; ++u) {
          partial[(first + begin + u + 1) * shares + team.league_rank()] = some.value[u];
        }
      });
      keep<begin + together>(team, first, columns, sums);
    }
  }
};

/// totals[k] := the sum over all shares, which a team makes for one k, or a thread of a host.
template <class Sum>
struct SumOfShares {
  const int* count;
  const Sum* partial;
  std::int64_t shares;
  Sum* totals;

  template <team_member Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const int k = team.league_rank();
    Sum sum(0);
    if (*count > 0 && k <= *count) {
      for (std::int64_t s = team.team_rank(); s < shares; s += team.team_size()) sum += partial[k * shares + s];
    }
    team.team_reduce(Kokkos::Sum<Sum>(sum));
    Kokkos::single(Kokkos::PerTeam(team), [&] { totals[k] = sum; });
  }
  void operator()(std::int64_t k) const {
    Sum sum(0);
    if (*count > 0 && k <= *count) {
      for (std::int64_t s = 0; s < shares; ++s) sum += partial[k * shares + s];
    }
    totals[k] = sum;
  }
};

/// basis_dots() or subtract_and_dots().
template <class Exec, class Scalar>
void pass_over_basis(const char* label, const char* label_of_sum, const Exec& exec, const BasisAccess<Scalar>& v,
                     const sum_t<Scalar>* coefficients, Scalar* w, const int* count, int most, sum_t<Scalar>* partial,
                     sum_t<Scalar>* totals) {
  const std::int64_t shares = basis_shares(v.rows);
  const BasisPassOfShare<Scalar> pass{v, coefficients, w, count, partial, shares};
  const SumOfShares<sum_t<Scalar>> sum{count, partial, shares, totals};
  if constexpr (is_gpu_v<Exec>) {
    using Policy = Kokkos::TeamPolicy<Exec>;
    Kokkos::parallel_for(label, Policy(exec, int(shares), 128), pass);
    Kokkos::parallel_for(label_of_sum, Policy(exec, most + 1, 128), sum);
  } else {
    for_each_on_host(label, exec, shares, pass);
    for_each_on_host(label_of_sum, exec, 1, [sum, most](std::int64_t) {
      for (int k = 0; k <= most; ++k) sum(k);
    });
  }
}

}  // namespace impl

/// Sums of scratch memory that the passes below take.
inline std::int64_t basis_partial_size(std::int64_t rows, int most) { return (most + 1) * impl::basis_shares(rows); }

/// totals := w^H w, and v_k^H w for the first *count columns; all 0 if *count is.
///
/// Memory   `partial` is scratch memory of basis_partial_size(rows, most) sums; `totals` holds most + 1. `count` lies
///          where `exec` reads it.
/// Async    enqueued on `exec`; no fence, no allocation. Two runs give the same bits, on a host with any number of
///          threads.
/// Traffic  the columns, and w.
template <execution_space Exec, class Scalar>
void basis_dots(const Exec& exec, const BasisAccess<Scalar>& v, const Scalar* w, const int* count, int most,
                sum_t<Scalar>* partial, sum_t<Scalar>* totals) {
  // (Without coefficients w is only read.)
  impl::pass_over_basis("ashlar::basis_dots", "ashlar::basis_dots[sum]", exec, v,
                        static_cast<const sum_t<Scalar>*>(nullptr), const_cast<Scalar*>(w), count, most, partial,
                        totals);
}

/// w -= sum over k < *count of coefficients[k] v_k, then as basis_dots().
///
/// Traffic  the columns once, and w twice. A GPU holds 32 real or 16 complex columns in registers: if there are more,
/// it
///          reads the columns twice.
template <execution_space Exec, class Scalar>
void subtract_and_dots(const Exec& exec, const BasisAccess<Scalar>& v, const sum_t<Scalar>* coefficients, Scalar* w,
                       const int* count, int most, sum_t<Scalar>* partial, sum_t<Scalar>* totals) {
  impl::pass_over_basis("ashlar::subtract_and_dots", "ashlar::subtract_and_dots[sum]", exec, v, coefficients, w, count,
                        most, partial, totals);
}

namespace impl {

/// The rows that `Pass` takes together: one for a thread of a GPU, some that a host's first cache holds.
template <class Exec>
inline constexpr int rows_of_tile = is_gpu_v<Exec> ? 1 : 256;

template <class Exec, class Pass>
struct RowTiles {
  std::int64_t rows, runs;
  Pass pass;

  KOKKOS_FUNCTION void operator()(std::int64_t run) const {
    constexpr int most = rows_of_tile<Exec>;
    if constexpr (is_gpu_v<Exec>) {
      pass.template rows<1>(run, 1);
    } else {
      const std::int64_t end = rows * (run + 1) / runs;
      for (std::int64_t i = rows * run / runs; i < end; i += most) {
        pass.template rows<most>(i, int(end - i < most ? end - i : most));
      }
    }
  }
};

}  // namespace impl

/// pass.rows<most>(first, count) for tiles of at most `most` rows, in any order.
template <execution_space Exec, class Pass>
void for_row_tiles(const char* label, const Exec& exec, std::int64_t rows, const Pass& pass) {
  if constexpr (is_gpu_v<Exec>) {
    Kokkos::parallel_for(label, Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, rows),
                         impl::RowTiles<Exec, Pass>{rows, rows, pass});
  } else {
    const std::int64_t runs = impl::threads_for(exec, rows);
    impl::for_each_on_host(label, exec, runs, impl::RowTiles<Exec, Pass>{rows, runs, pass});
  }
}

}  // namespace ashlar
