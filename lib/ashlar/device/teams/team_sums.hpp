#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <ashlar/device/teams/for_entries.hpp>
#include <cstdint>
#include <utility>

namespace ashlar {

namespace impl {

/// Sums that a team reduces together: with as many barriers as one sum takes.
template <class Sum, int N>
struct SumsTogether {
  Sum value[N];

  KOKKOS_FUNCTION SumsTogether& operator+=(const SumsTogether& other) {
    for (int k = 0; k < N; ++k) value[k] += other.value[k];
    return *this;
  }
};

}  // namespace impl

/// The memory with which the teams of one kernel add up sums, as kernels take it. Made by TeamSums.
struct TeamSumsAccess {
  double* partial = nullptr;    ///< of each team, sum after sum
  unsigned* arrived = nullptr;  ///< teams that have written theirs

  /// total[k] := the sum of all teams' summands. Each team calls once, with all of its threads, and each thread brings
  /// a summand of its own. The last team adds up, always in the same order: two runs give the same bits.
  template <int N, class Team>
  KOKKOS_INLINE_FUNCTION void add(const Team& team, double (&sum)[N], const Kokkos::Array<double*, N>& total) const {
    const int teams = team.league_size();
    // Volatile: what other teams wrote must not come from a cache of this one's. (Kokkos' atomic loads and stores of
    // doubles are compare-and-swap loops on CUDA: with these the last team took as long as the rest of a kernel.)
    volatile double* const of_teams = partial;
    using Sums = impl::SumsTogether<double, N>;
    Sums of_team;
    for (int k = 0; k < N; ++k) of_team.value[k] = sum[k];
    team.team_reduce(Kokkos::Sum<Sums>(of_team));
    int is_last = 0;
    Kokkos::single(
        Kokkos::PerTeam(team),
        [&](int& last) {
          for (int k = 0; k < N; ++k) of_teams[k * teams + team.league_rank()] = of_team.value[k];
          Kokkos::memory_fence();
          last = Kokkos::atomic_fetch_add(arrived, 1u) + 1 == unsigned(teams);
        },
        is_last);
    if (is_last == 0) return;
    Kokkos::memory_fence();
    Sums of_all = {};
    for (int i = team.team_rank(); i < teams; i += team.team_size()) {
      for (int k = 0; k < N; ++k) of_all.value[k] += of_teams[k * teams + i];
    }
    team.team_reduce(Kokkos::Sum<Sums>(of_all));
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      for (int k = 0; k < N; ++k) *total[k] = of_all.value[k];
      *arrived = 0;
    });
  }
};

/// Scratch memory for sums over all teams of a kernel.
///
/// Kokkos' own reductions keep theirs with the instance, where other work on it may have it moved: kernels that are
/// captured and replayed need some that stays. One kernel at a time uses it.
///
/// Memory   most_sums * most_teams doubles and a counter.
template <memory_space Space>
class TeamSums {
 public:
  static constexpr int most_teams = 4096, most_sums = 5;

  template <execution_space Exec>
  explicit TeamSums(const Exec& exec)
      : partial_(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "ashlar::team_sums::partial"),
                 most_sums * most_teams),
        arrived_(Kokkos::view_alloc(exec, "ashlar::team_sums::arrived"), 1) {}

  TeamSumsAccess access() const { return {partial_.data(), arrived_.data()}; }

 private:
  Kokkos::View<double*, Space> partial_;
  Kokkos::View<unsigned*, Space> arrived_;
};

namespace impl {

/// Teams that share n entries: as many as fill a GPU, each with enough to do. It does not depend on the machine.
inline int teams_for(std::int64_t n) {
  constexpr std::int64_t entries_of_team = 2048, most = 1024;
  return static_cast<int>(std::clamp<std::int64_t>((n + entries_of_team - 1) / entries_of_team, 1, most));
}

/// Where the share of a team begins: shares of n entries are runs of neighbours.
KOKKOS_INLINE_FUNCTION std::int64_t begin_of_share(std::int64_t n, std::int64_t team, std::int64_t teams) {
  return n * team / teams;
}

/// The teams' shares of n entries on a GPU.
template <int N, class Function>
struct SumOverEntries {
  std::int64_t n;
  TeamSumsAccess sums;
  Kokkos::Array<double*, N> total;
  Function function;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const auto& own = for_thread(function);
    const std::int64_t last = begin_of_share(n, team.league_rank() + 1, team.league_size());
    double sum[N] = {};
    const std::int64_t step = team.team_size();
    std::int64_t i = begin_of_share(n, team.league_rank(), team.league_size()) + team.team_rank();
    if constexpr (requires { own.load(i); }) {
      constexpr int in_flight = 4;
      for (; i + (in_flight - 1) * step < last; i += in_flight * step) {
        decltype(own.load(i)) loaded[in_flight];
        for (int u = 0; u < in_flight; ++u) loaded[u] = own.load(i + u * step);
        for (int u = 0; u < in_flight; ++u) own(i + u * step, loaded[u], sum);
      }
      for (; i < last; i += step) own(i, own.load(i), sum);
    } else {
      for (; i < last; i += step) own(i, sum);
    }
    sums.add<N>(team, sum, total);
  }
};

/// The same on a host, where a thread takes the shares of some teams, one after another. The entries of a share are
/// distributed over eight sums: additions to one sum wait for each other, and sums side by side fill vector registers.
/// The order of additions depends on n alone, not on the number of threads or the width of registers.
template <int N, class Function>
struct SumOverEntriesOnHost {
  static constexpr int lanes = 8;

  std::int64_t n;
  int teams, threads;
  TeamSumsAccess sums;
  Kokkos::Array<double*, N> total;
  Function function;

  void operator()(std::int64_t thread) const {
    const auto own = for_thread(function);
    const int last = static_cast<int>(begin_of_share(teams, thread + 1, threads));
    for (int team = static_cast<int>(begin_of_share(teams, thread, threads)); team < last; ++team) {
      double sum[lanes][N] = {};
      add_share(own, begin_of_share(n, team, teams), begin_of_share(n, team + 1, teams), sum,
                std::make_integer_sequence<int, lanes>{});
      for (int half = lanes / 2; half > 0; half /= 2) {
        for (int lane = 0; lane < half; ++lane) {
          for (int k = 0; k < N; ++k) sum[lane][k] += sum[lane + half][k];
        }
      }
      for (int k = 0; k < N; ++k) sums.partial[k * teams + team] = sum[0][k];
    }
    if (threads > 1) {
      Kokkos::memory_fence();
      if (Kokkos::atomic_fetch_add(sums.arrived, 1u) + 1 < unsigned(threads)) return;
      Kokkos::memory_fence();
      *sums.arrived = 0;
    }
    for (int k = 0; k < N; ++k) {
      double all = 0;
      for (int team = 0; team < teams; ++team) all += sums.partial[k * teams + team];
      *total[k] = all;
    }
  }

 private:
  template <class Own, int... Lane>
  static void add_share(const Own& own, std::int64_t i, std::int64_t last, double (&sum)[lanes][N],
                        std::integer_sequence<int, Lane...>) {
    if constexpr (requires { own.load(i); }) {
      for (; i + lanes <= last; i += lanes) {
        const decltype(own.load(i)) loaded[lanes] = {own.load(i + Lane)...};
        (own(i + Lane, loaded[Lane], sum[Lane]), ...);
      }
      for (int lane = 0; i < last; ++i, ++lane) own(i, own.load(i), sum[lane]);
    } else {
      for (; i + lanes <= last; i += lanes) (own(i + Lane, sum[Lane]), ...);
      for (int lane = 0; i < last; ++i, ++lane) own(i, sum[lane]);
    }
  }
};

}  // namespace impl

/// total[k] := the sum over all i < n of the amounts that function(i, sums) adds to sums[k].
///
/// A function that writes may be cut in two, function.load(i) and function(i, loaded, sums): then a thread asks for
/// several entries before it uses the first. It may have for_thread(), as in for_entries().
///
/// Memory   `total` points to doubles that `exec` reaches; `sums` is nobody else's until this has ended.
/// Async    enqueued on `exec`; no fence, no allocation. Two runs give the same bits, on a host with any number of
///          threads. There few entries are a plain loop of the calling thread.
template <int N, execution_space Exec, class Function>
void sum_over_entries(const char* label, const Exec& exec, std::int64_t n, const TeamSumsAccess& sums,
                      const Kokkos::Array<double*, N>& total, const Function& function) {
  static_assert(N <= TeamSums<typename Exec::memory_space>::most_sums);
  const int teams = impl::teams_for(n);
  if constexpr (is_gpu_v<Exec>) {
    constexpr int threads = 256;
    Kokkos::parallel_for(label, Kokkos::TeamPolicy<Exec>(exec, teams, threads),
                         impl::SumOverEntries<N, Function>{n, sums, total, function});
  } else {
    const int threads = std::min(teams, static_cast<int>(impl::threads_for(exec, n)));
    impl::for_each_on_host(label, exec, threads,
                           impl::SumOverEntriesOnHost<N, Function>{n, teams, threads, sums, total, function});
  }
}

}  // namespace ashlar
