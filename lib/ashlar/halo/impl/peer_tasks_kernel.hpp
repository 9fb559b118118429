#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/halo/peer_receives.hpp>
#include <ashlar/halo/peer_sends.hpp>
#include <desul/atomics.hpp>
#include <string>

namespace ashlar::impl {

/// The kernel of teams of which each does one task of an exchange: packs and sends, does what needs no message, or
/// waits and takes. On a device one launch has all of them.
///
/// Teams that wait occupy the device until other ranks have sent, and those wait for this rank's messages. So the
/// device needs room for teams that pack. If the waiting teams may fill the device, teams take tasks in the order in
/// which they begin, instead of by rank: then all tasks that pack have begun before a team waits.
template <class Pack, class Between, class Take>
struct PeerTasksKernel {
  Pack pack;
  Between between;
  Take take;
  PeerSends sends;
  PeerReceives receives;
  int num_packs, num_between, num_tasks;
  int first;            ///< task of the first team
  unsigned* next_task;  ///< of the team that begins next; null if tasks go by rank

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    int task = first + team.league_rank();
    if (next_task != nullptr) {
      Kokkos::single(
          Kokkos::PerTeam(team),
          [&](int& its) {
            its = int(desul::atomic_fetch_inc_mod(next_task, unsigned(num_tasks - 1), desul::MemoryOrderRelaxed(),
                                                  desul::MemoryScopeDevice()));
          },
          task);
    }
    if (task < num_packs) {
      pack(team, task, sends);
    } else if (task < num_packs + num_between) {
      between(team, task - num_packs);
    } else {
      take(team, task - num_packs - num_between, receives);
    }
  }
};

/// Enqueues it for `num_teams` tasks from `kernel.first` on.
template <execution_space Exec, class Kernel>
void launch_tasks(const std::string& label, const Exec& exec, int num_teams, const Kernel& kernel) {
  if (num_teams == 0) return;
  // By this hint CUDA's backend passes what the kernel needs as its arguments. It would wait for another kernel first,
  // to have what is larger than 512 bytes in constant memory.
  using Kokkos::Experimental::WorkItemProperty;
  const Kokkos::TeamPolicy<Exec> policy(exec, num_teams, is_gpu_v<Exec> ? 256 : 1);
  Kokkos::parallel_for(label, Kokkos::Experimental::require(policy, WorkItemProperty::HintLightWeight), kernel);
}

/// Whether so many teams that wait leave places on the device, whatever each of them needs: a processor that takes 2048
/// threads or more has one at least.
template <execution_space Exec>
bool leave_places(const Exec& exec, int num_teams) {
  constexpr int most_threads_of_processor = 4096;
  return num_teams < exec.concurrency() / most_threads_of_processor;
}

}  // namespace ashlar::impl
