#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/halo/impl/peer_lists.hpp>
#include <ashlar/halo/peer_tasks.hpp>
#include <cstddef>
#include <cstdint>
#include <desul/atomics.hpp>
#include <string>

namespace ashlar::impl {

/// The unit of copies if everything is aligned to it.
struct alignas(16) PeerWord {
  std::uint64_t halves[2];
};

/// Sends chunks of the packed buffer, as words.
template <class Word>
struct PutChunk {
  const PeerChunk* chunks;
  const std::byte* buffer;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, int task, const PeerSends& sends) const {
    const PeerChunk chunk = chunks[task];
    sends(team, chunk.message, chunk.num_chunks, [&](const OutgoingMessage& message) {
      constexpr std::int64_t size = sizeof(Word), size_in_packet = sizeof(std::uint32_t);
      if (Word* const first = message.plain<Word>()) {
        const auto* const from = reinterpret_cast<const Word*>(buffer + chunk.source);
        Word* const to = first + chunk.begin / size;
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, chunk.count / size),
                             [&](std::int64_t i) { to[i] = from[i]; });
      } else {
        const auto* const from = reinterpret_cast<const std::uint32_t*>(buffer + chunk.source);
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, chunk.count / size_in_packet), [&](std::int64_t i) {
          message.put<std::uint32_t>(chunk.begin / size_in_packet + i, from[i]);
        });
      }
    });
  }
};

/// Waits for messages: a team for each of their chunks.
struct AwaitMessages {
  const PeerChunk* chunks;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, int task, const PeerReceives& receives) const {
    receives.arrive(team, chunks[task]);
  }
};

/// Skips exchange numbers until the next exchange uses `slot`: captured work uses the slot of its capture. All ranks
/// skip the same numbers. No exchange is in flight, and the data of the last one are read; neighbours are told so.
struct SkipToSlot {
  const PeerGet* gets;
  const PeerCount* counts;  ///< of any one message
  std::uint64_t* skipped;
  int num_gets, slot;

  KOKKOS_FUNCTION void operator()(int) const {
    const std::uint64_t last = *skipped + counts->exchanges;
    const int more = (slot - slot_of(last + 1) + num_exchange_slots) % num_exchange_slots;
    if (more == 0) return;
    *skipped += std::uint64_t(more);
    for (int k = 0; k < num_gets; ++k) raise_flag(gets[k].taken, last + std::uint64_t(more));
  }
};

/// The kernel of an exchange: each team does one task. It packs and sends, does work without messages, or waits and
/// takes. On a device one launch has all tasks.
///
/// Waiting teams occupy the device until other ranks have sent, and those ranks wait for the messages of this one. So
/// the device needs room for the teams that pack. If the waiting teams may fill the device, teams take tasks in the
/// order in which they begin, instead of by league rank: all tasks that pack have then begun before a team waits.
template <class Pack, class Between, class Take>
struct PeerTasksKernel {
  Pack pack;
  Between between;
  Take take;
  PeerSends sends;
  PeerReceives receives;
  int num_packs, num_between, num_tasks;
  int first;            ///< the task of the first team
  unsigned* next_task;  ///< of the team that begins next; null if tasks follow the league rank

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

/// Enqueues `num_teams` tasks of the kernel, from `kernel.first` on.
template <execution_space Exec, class Kernel>
void launch_tasks(const std::string& label, const Exec& exec, int num_teams, const Kernel& kernel) {
  if (num_teams == 0) return;
  // The hint has the CUDA backend pass the kernel as its arguments. It would otherwise copy kernels larger than 512
  // bytes to constant memory, and wait for another kernel first.
  using Kokkos::Experimental::WorkItemProperty;
  const Kokkos::TeamPolicy<Exec> policy(exec, num_teams, is_gpu_v<Exec> ? 256 : 1);
  Kokkos::parallel_for(label, Kokkos::Experimental::require(policy, WorkItemProperty::HintLightWeight), kernel);
}

/// True if `num_teams` waiting teams leave room on the device, whatever each of them needs: a multiprocessor of 2048
/// threads or more has room for one team at least.
template <execution_space Exec>
bool leave_room(const Exec& exec, int num_teams) {
  constexpr int most_threads_of_processor = 4096;
  return num_teams < exec.concurrency() / most_threads_of_processor;
}

}  // namespace ashlar::impl
