#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/comm/peer/peer_flag.hpp>
#include <ashlar/device/patient_wait.hpp>
#include <cstddef>
#include <cstdint>

namespace ashlar::impl {

/// What goes to one neighbour: from a buffer of this rank to a slot of that one's memory.
struct PeerPut {
  std::int64_t source = 0, bytes = 0;  ///< where it begins in the buffer
  std::byte* slots = nullptr;          ///< its place in slot 0 of the neighbour's memory
  std::int64_t slot_bytes = 0;         ///< how far apart slots are there
  PeerFlag* arrived = nullptr;         ///< the neighbour's
  const PeerFlag* taken = nullptr;     ///< raised by the neighbour when a slot may be written again
};

/// What is copied at once where everything is aligned to it.
struct alignas(16) PeerWord {
  std::uint64_t halves[2];
};

/// A part of it, which a team copies.
struct PeerChunk {
  int put = 0;
  std::int64_t begin = 0, bytes = 0;
};

/// What comes from one neighbour.
struct PeerGet {
  const PeerFlag* arrived = nullptr;
  PeerFlag* taken = nullptr;  ///< the neighbour's
};

/// How long kernels wait, and whether one has given up.
struct PeerPatience {
  std::uint64_t nanoseconds;
  int* gave_up;
};

/// Copies chunks to the memory of neighbours, as words; the team that comes last of those of one neighbour raises the
/// flag there. A slot is written when the neighbour has done with what was in it `num_slots` exchanges before.
template <class Word, class Puts, class Chunks, class Counters>
struct PutToPeers {
  Puts puts;
  Chunks chunks;
  Counters num_copied;  ///< by neighbour: chunks of all exchanges so far
  const std::byte* buffer;
  std::uint64_t number;  ///< of the exchange, from 1
  int slot, num_slots;
  PeerPatience patience;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const PeerChunk chunk = chunks(team.league_rank());
    const PeerPut put = puts(chunk.put);
    const std::uint64_t taken = number > std::uint64_t(num_slots) ? number - num_slots : 0;
    int is_free = 1;
    Kokkos::single(
        Kokkos::PerTeam(team),
        [&](int& answer) {
          const auto is_taken = [&] { return taken == 0 || is_raised(put.taken, taken); };
          answer = wait_patiently(is_taken, patience.nanoseconds, patience.gave_up) ? 1 : 0;
        },
        is_free);
    if (is_free == 0) return;
    const auto* const from = reinterpret_cast<const Word*>(buffer + put.source + chunk.begin);
    auto* const to = reinterpret_cast<Word*>(put.slots + slot * put.slot_bytes + chunk.begin);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, chunk.bytes / std::int64_t(sizeof(Word))),
                         [&](std::int64_t i) { to[i] = from[i]; });
    desul::atomic_thread_fence(desul::MemoryOrderRelease(), desul::MemoryScopeNode());
    team.team_barrier();
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      desul::atomic_thread_fence(desul::MemoryOrderAcqRel(), desul::MemoryScopeNode());  // for the whole team
      const std::uint64_t before = Kokkos::atomic_fetch_add(&num_copied(chunk.put).count, std::uint64_t(1));
      if (before + 1 == number * num_copied(chunk.put).chunks) raise_flag(put.arrived, number);
    });
  }
};

/// Of one neighbour's chunks.
struct PeerCounter {
  std::uint64_t count = 0;
  std::uint64_t chunks = 0;
};

/// Tells neighbours [first, first + count) that what came in the exchange `released` is read no more (0: nothing), and
/// waits until what comes in the exchange `number` is there.
template <class Gets>
struct WaitForPeers {
  Gets gets;
  int first;
  std::uint64_t released, number;
  PeerPatience patience;

  KOKKOS_FUNCTION void operator()(int i) const {
    const PeerGet get = gets(first + i);
    if (released > 0) raise_flag(get.taken, released);
    wait_patiently([&] { return is_raised(get.arrived, number); }, patience.nanoseconds, patience.gave_up);
  }
};

}  // namespace ashlar::impl
