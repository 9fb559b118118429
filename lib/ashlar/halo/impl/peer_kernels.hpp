#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/halo/impl/peer_chunk.hpp>
#include <ashlar/halo/impl/peer_lists.hpp>
#include <ashlar/halo/peer_receives.hpp>
#include <ashlar/halo/peer_sends.hpp>
#include <cstddef>
#include <cstdint>

namespace ashlar::impl {

/// What is copied at once where everything is aligned to it.
struct alignas(16) PeerWord {
  std::uint64_t halves[2];
};

/// Sends chunks of what was packed before, as words.
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

/// Waits for messages, a team for each of their chunks.
struct LandMessages {
  const PeerChunk* chunks;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, int task, const PeerReceives& receives) const {
    receives.land(team, chunks[task]);
  }
};

/// Skips numbers, the same on all ranks, until the next exchange is one of `slot`: captured work reads a slot that was
/// fixed when it was captured. No exchange is on its way, and what came in the last one is read no more, of which
/// neighbours are told.
struct SkipToSlot {
  const PeerGet* gets;
  const PeerCount* counts;  ///< of any message
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

}  // namespace ashlar::impl
