#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/device/packets/time_limit.hpp>
#include <ashlar/halo/impl/peer_lists.hpp>
#include <ashlar/halo/peer_receives.hpp>
#include <ashlar/halo/peer_sends.hpp>
#include <ashlar/halo/peer_stages.hpp>
#include <desul/atomics.hpp>

namespace ashlar::impl {

inline constexpr int most_peer_stages = 8;

/// What the teams of a kernel in stages count; zeros before the first and after each kernel.
struct StageCounts {
  unsigned begun, ended;            ///< tasks
  unsigned done[most_peer_stages];  ///< tasks by stage
};

/// Stages one after another, each of its own type.
template <class... Stages>
struct StageList {};
template <class First, class... Rest>
struct StageList<First, Rest...> {
  First first;
  StageList<Rest...> rest;
};

inline StageList<> list_of_stages() { return {}; }
template <class First, class... Rest>
StageList<First, Rest...> list_of_stages(const First& first, const Rest&... rest) {
  return {first, list_of_stages(rest...)};
}

/// The kernel of teams of which each does one task, in the order in which they begin: who waits does so for tasks that
/// have begun before, and for other ranks, whose kernels pack first. So nobody waits for a team that has no place.
template <class... Stages>
struct PeerStagesKernel {
  static_assert(sizeof...(Stages) <= most_peer_stages);

  StageList<Stages...> stages;
  PeerSends sends;
  PeerReceives receives;
  TimeLimit limit;
  StageCounts* counts;
  unsigned sizes[most_peer_stages];  ///< tasks by stage
  unsigned num_tasks;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    unsigned task = 0;
    Kokkos::single(
        Kokkos::PerTeam(team),
        [&](unsigned& its) {
          its = desul::atomic_fetch_inc_mod(&counts->begun, num_tasks - 1, desul::MemoryOrderRelaxed(),
                                            desul::MemoryScopeDevice());
        },
        task);
    run<0>(team, int(task), stages);
  }

 private:
  template <int stage, class Team>
  KOKKOS_FUNCTION void run(const Team&, int, const StageList<>&) const {}

  template <int stage, class Team, class First, class... Rest>
  KOKKOS_FUNCTION void run(const Team& team, int task, const StageList<First, Rest...>& list) const {
    if (task >= list.first.count) return run<stage + 1>(team, task - list.first.count, list.rest);
    if (may_begin<First::waits_for>(team)) {
      if constexpr (First::kind == PeerStageKind::packs) {
        list.first.body(team, task, sends);
      } else if constexpr (First::kind == PeerStageKind::takes) {
        list.first.body(team, task, receives);
      } else {
        list.first.body(team, task);
      }
    }
    end<stage>(team);
  }

  /// Waits for the stages. Returns false if the time limit has passed.
  template <unsigned stages_before, class Team>
  KOKKOS_FUNCTION bool may_begin(const Team& team) const {
    if constexpr (stages_before == 0) {
      return true;
    } else {
      int answer = 0;
      Kokkos::single(
          Kokkos::PerTeam(team),
          [&](int& may) {
            const auto are_done = [&] {
              for (int s = 0; s < most_peer_stages; ++s) {
                if ((stages_before >> s & 1U) != 0 && Kokkos::atomic_load(&counts->done[s]) < sizes[s]) return false;
              }
              return true;
            };
            may = wait_until(are_done, limit) ? 1 : 0;
            desul::atomic_thread_fence(desul::MemoryOrderAcquire(), desul::MemoryScopeDevice());
          },
          answer);
      return answer != 0;
    }
  }

  template <int stage, class Team>
  KOKKOS_FUNCTION void end(const Team& team) const {
    team.team_barrier();
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      desul::atomic_thread_fence(desul::MemoryOrderAcqRel(), desul::MemoryScopeDevice());  // for the whole team
      Kokkos::atomic_add(&counts->done[stage], 1U);
      if (Kokkos::atomic_fetch_add(&counts->ended, 1U) + 1 < num_tasks) return;
      // All have ended: for the next kernel. (`begun` has come to zero by itself.)
      counts->ended = 0;
      for (unsigned& done : counts->done) done = 0;
    });
  }
};

/// Tasks before the first that take.
template <class... Stages>
int tasks_before_takes(const Stages&... stages) {
  int count = 0;
  bool takes = false;
  const auto add = [&](const auto& stage) {
    takes = takes || stage.kind == PeerStageKind::takes;
    if (!takes) count += stage.count;
  };
  (add(stages), ...);
  return count;
}

template <class... Stages>
PeerStagesKernel<Stages...> kernel_in_stages(const PeerSends& sends, const PeerReceives& receives,
                                             const TimeLimit& limit, StageCounts* counts, const Stages&... stages) {
  PeerStagesKernel<Stages...> kernel{list_of_stages(stages...), sends, receives, limit, counts, {}, 0};
  int stage = 0;
  const auto add = [&](int count) {
    kernel.sizes[stage++] = unsigned(count);
    kernel.num_tasks += unsigned(count);
  };
  (add(stages.count), ...);
  return kernel;
}

}  // namespace ashlar::impl
