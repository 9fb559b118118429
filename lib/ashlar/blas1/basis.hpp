#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/blas1/impl/conj_product.hpp>
#include <ashlar/device/for_entries.hpp>
#include <ashlar/device/team_sums.hpp>
#include <cstdint>
#include <type_traits>

// Passes over a basis of Krylov vectors: columns that lie one behind the other. The device knows how many columns there
// are, the host does not: so one graph serves each iteration of a cycle.

namespace ashlar {

/// The type in which inner products are summed.
template <class Scalar>
using sum_t = std::conditional_t<is_complex_v<Scalar>, Kokkos::complex<double>, double>;

/// The columns v_0, v_1, ... of a basis, as kernels take them.
template <class Scalar>
struct BasisAccess {
  Scalar* columns;
  std::int64_t rows;

  KOKKOS_FUNCTION Scalar* column(int k) const { return columns + k * rows; }
};

namespace impl {

template <class Team>
concept team_member = requires(const Team& team) {
  team.league_rank();
};

/// The sums over one share of the rows: w^H w, v_0^H w, v_1^H w, ... A team of a GPU takes eight columns in a pass over
/// its share, which its caches hold.
template <class Scalar>
struct BasisDotsOfShare {
  using Sum = sum_t<Scalar>;

  BasisAccess<Scalar> v;
  const Scalar* w;
  const int* count;  ///< columns
  Sum* partial;      ///< of each share, sum after sum
  std::int64_t shares;

  KOKKOS_FUNCTION const Scalar* factor(int k) const { return k == 0 ? w : v.column(k - 1); }

  template <team_member Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    constexpr int together = 8;
    const std::int64_t share = team.league_rank();
    const std::int64_t begin = begin_of_share(v.rows, share, shares), end = begin_of_share(v.rows, share + 1, shares);
    const int sums = *count > 0 ? *count + 1 : 0;
    for (int first = 0; first < sums; first += together) {
      const Scalar* factors[together];
      for (int u = 0; u < together; ++u) factors[u] = factor(first + u < sums ? first + u : first);
      Sum sum[together] = {};
      for (std::int64_t i = begin + team.team_rank(); i < end; i += team.team_size()) {
        const Scalar entry = w[i];
        for (int u = 0; u < together; ++u) sum[u] += conj_product<Sum>(Sum(factors[u][i]), Sum(entry));
      }
      for (int u = 0; u < together && first + u < sums; ++u) {
        team.team_reduce(Kokkos::Sum<Sum>(sum[u]));
        Kokkos::single(Kokkos::PerTeam(team), [&] { partial[(first + u) * shares + share] = sum[u]; });
      }
    }
  }

  /// On a host: eight sums side by side fill vector registers.
  void operator()(std::int64_t share) const {
    constexpr int lanes = 8;
    const std::int64_t begin = begin_of_share(v.rows, share, shares), end = begin_of_share(v.rows, share + 1, shares);
    const int sums = *count > 0 ? *count + 1 : 0;
    for (int k = 0; k < sums; ++k) {
      const Scalar* const from = factor(k);
      Sum sum[lanes] = {};
      std::int64_t i = begin;
      for (; i + lanes <= end; i += lanes) {
        for (int lane = 0; lane < lanes; ++lane) sum[lane] += conj_product<Sum>(Sum(from[i + lane]), Sum(w[i + lane]));
      }
      for (; i < end; ++i) sum[0] += conj_product<Sum>(Sum(from[i]), Sum(w[i]));
      for (int lane = 1; lane < lanes; ++lane) sum[0] += sum[lane];
      partial[k * shares + share] = sum[0];
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

}  // namespace impl

/// totals := w^H w, and v_k^H w for the first *count columns; all 0 if *count is.
///
/// Memory   `partial` is scratch memory of (most + 1) * teams_for(rows) sums; `totals` holds most + 1. `count` is read
///          on the device.
/// Async    enqueued on `exec`; no fence, no allocation. Two runs give the same bits, on a host with any number of
///          threads.
/// Traffic  the columns, and w.
template <execution_space Exec, class Scalar>
void basis_dots(const Exec& exec, const BasisAccess<Scalar>& v, const Scalar* w, const int* count, int most,
                sum_t<Scalar>* partial, sum_t<Scalar>* totals) {
  const std::int64_t shares = impl::teams_for(v.rows);
  const impl::BasisDotsOfShare<Scalar> dots{v, w, count, partial, shares};
  const impl::SumOfShares<sum_t<Scalar>> sum{count, partial, shares, totals};
  if constexpr (is_gpu_v<Exec>) {
    using Policy = Kokkos::TeamPolicy<Exec>;
    Kokkos::parallel_for("ashlar::basis_dots", Policy(exec, int(shares), 256), dots);
    Kokkos::parallel_for("ashlar::basis_dots[sum]", Policy(exec, most + 1, 128), sum);
  } else {
    impl::for_each_on_host("ashlar::basis_dots", exec, shares, dots);
    impl::for_each_on_host("ashlar::basis_dots[sum]", exec, 1, [sum, most](std::int64_t) {
      for (int k = 0; k <= most; ++k) sum(k);
    });
  }
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

/// w -= sum over k < *count of coefficients[k] v_k
template <class Scalar>
struct SubtractCombination {
  BasisAccess<Scalar> v;
  const sum_t<Scalar>* coefficients;
  const int* count;
  Scalar* w;

  template <int most>
  KOKKOS_FUNCTION void rows(std::int64_t first, int rows) const {
    Scalar tile[most];
    for (int i = 0; i < rows; ++i) tile[i] = w[first + i];
    add_combination(v, *count, -1, coefficients, first, rows, tile);
    for (int i = 0; i < rows; ++i) w[first + i] = tile[i];
  }
};

}  // namespace ashlar
