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

/// Of one neighbour's chunks.
struct PeerCounter {
  std::uint64_t count = 0;
  std::uint64_t chunks = 0;
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

// Exchanges have numbers, from 1, and go through slots in turns. Kernels count for themselves, so that they may be
// captured and replayed: the number is what they have counted, and what was skipped (SkipToSlot).

KOKKOS_INLINE_FUNCTION int slot_of(std::uint64_t number, int num_slots) {
  return int((number - 1) % std::uint64_t(num_slots));
}

/// Copies chunks to the memory of neighbours, as words; the team that comes last of those of one neighbour raises the
/// flag there. A slot is written when the neighbour has done with what was in it `num_slots` exchanges before.
template <class Word, class Puts, class Chunks, class Counters>
struct PutToPeers {
  Puts puts;
  Chunks chunks;
  Counters num_copied;  ///< by neighbour: chunks of all exchanges so far
  const std::byte* buffer;
  const std::uint64_t* skipped;
  int num_slots;
  PeerPatience patience;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const PeerChunk chunk = chunks(team.league_rank());
    const PeerPut put = puts(chunk.put);
    std::uint64_t number = 0;  // none where the slot does not become free
    Kokkos::single(
        Kokkos::PerTeam(team),
        [&](std::uint64_t& answer) {
          // Other teams count meanwhile, but the count of this exchange is not full without this one.
          const PeerCounter& counter = num_copied(chunk.put);
          const std::uint64_t its = *skipped + load_shared(&counter.count) / counter.chunks + 1;
          const std::uint64_t taken = its > std::uint64_t(num_slots) ? its - num_slots : 0;
          const auto is_taken = [&] { return taken == 0 || is_raised(put.taken, taken); };
          answer = wait_patiently(is_taken, patience.nanoseconds, patience.gave_up) ? its : 0;
        },
        number);
    if (number == 0) return;
    const int slot = slot_of(number, num_slots);
    const auto* const from = reinterpret_cast<const Word*>(buffer + put.source + chunk.begin);
    auto* const to = reinterpret_cast<Word*>(put.slots + slot * put.slot_bytes + chunk.begin);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, chunk.bytes / std::int64_t(sizeof(Word))),
                         [&](std::int64_t i) { to[i] = from[i]; });
    desul::atomic_thread_fence(desul::MemoryOrderRelease(), desul::MemoryScopeNode());
    team.team_barrier();
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      desul::atomic_thread_fence(desul::MemoryOrderAcqRel(), desul::MemoryScopeNode());  // for the whole team
      const std::uint64_t before = Kokkos::atomic_fetch_add(&num_copied(chunk.put).count, std::uint64_t(1));
      if ((before + 1) % num_copied(chunk.put).chunks == 0) raise_flag(put.arrived, number);
    });
  }
};

/// Tells neighbours [first, first + count) that what came in the exchange before is read no more, and waits until what
/// comes in the next one is there.
template <class Gets, class Counts>
struct WaitForPeers {
  Gets gets;
  Counts num_landed;  ///< by neighbour: exchanges so far
  const std::uint64_t* skipped;
  int first;
  PeerPatience patience;

  KOKKOS_FUNCTION void operator()(int i) const {
    const PeerGet get = gets(first + i);
    const std::uint64_t number = *skipped + ++num_landed(first + i);
    if (number > 1) raise_flag(get.taken, number - 1);
    wait_patiently([&] { return is_raised(get.arrived, number); }, patience.nanoseconds, patience.gave_up);
  }
};

/// Skips numbers, the same on all ranks, until the next exchange is one of `slot`: captured work reads a slot that was
/// fixed when it was captured. No exchange is on its way, and what came in the last one is read no more, of which
/// neighbours are told.
template <class Gets, class Counts, class Counters>
struct SkipToSlot {
  Gets gets;
  Counts num_landed;
  Counters num_copied;
  std::uint64_t* skipped;
  int slot, num_slots;

  KOKKOS_FUNCTION void operator()(int) const {
    const std::uint64_t counted =
        gets.extent(0) > 0 ? num_landed(0) : num_copied(0).count / num_copied(0).chunks;  // (one of the two is there)
    const std::uint64_t last = *skipped + counted;
    const int more = (slot - slot_of(last + 1, num_slots) + num_slots) % num_slots;
    if (more == 0) return;
    *skipped += std::uint64_t(more);
    for (std::size_t k = 0; k < gets.extent(0); ++k) raise_flag(gets(k).taken, last + std::uint64_t(more));
  }
};

}  // namespace ashlar::impl
