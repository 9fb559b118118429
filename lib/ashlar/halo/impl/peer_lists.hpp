#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/device/packets/flag.hpp>
#include <ashlar/device/packets/time_limit.hpp>
#include <ashlar/halo/impl/exchange_backend.hpp>
#include <cstddef>
#include <cstdint>
#include <desul/atomics.hpp>

namespace ashlar::impl {

/// What goes to one neighbour: to a slot of its memory.
struct PeerPut {
  std::byte* slots = nullptr;         ///< its place, or that of its packets, in slot 0 of the neighbour's memory
  std::int64_t slot_bytes = 0;        ///< how far apart slots are there
  SharedFlag* arrived = nullptr;      ///< the neighbour's
  const SharedFlag* taken = nullptr;  ///< raised by the neighbour when a slot may be written again
  bool is_packets = false;
};

/// What comes from one neighbour, to a slot of this rank's memory.
struct PeerGet {
  std::byte* slots = nullptr;
  const std::byte* packets = nullptr;  ///< in slot 0; null where it does not come as packets
  std::int64_t num_words = 0;          ///< of four bytes, where it does
  std::int64_t slot_bytes = 0;
  const SharedFlag* arrived = nullptr;
  SharedFlag* taken = nullptr;  ///< the neighbour's
};

/// What kernels count of what goes to, or comes from, one neighbour.
struct PeerCount {
  std::uint64_t exchanges = 0;  ///< that have been made
  std::uint64_t teams = 0;      ///< that have done their part of the one that is under way
};

/// Why kernels have given up: the values of TimeLimit::gave_up.
enum PeerFailure : int { peers_work = 0, peer_is_late = 1, flag_is_wrong = 2 };

// Exchanges have numbers, from 1, and use the slots cyclically. Kernels count exchanges themselves, so that they may be
// captured and replayed: the number is their count plus the skipped exchanges (SkipToSlot).

KOKKOS_INLINE_FUNCTION int slot_of(std::uint64_t number) {
  return int((number - 1) % std::uint64_t(num_exchange_slots));
}

/// Whether a neighbour's flag has come to a number; then all that it wrote before is seen. No flag gets further ahead
/// than there are slots: what is there is then no count.
KOKKOS_INLINE_FUNCTION bool has_come(const SharedFlag* flag, std::uint64_t number, int* gave_up) {
  const std::uint64_t count = load_shared(&flag->count);
  if (count < number) return false;
  if (count - number > std::uint64_t(num_exchange_slots)) {
    Kokkos::atomic_store(gave_up, int(flag_is_wrong));
    return false;
  }
  desul::atomic_thread_fence(desul::MemoryOrderAcquire(), desul::MemoryScopeNode());
  return true;
}

/// Waits until has_come(). Returns false if the time limit has passed.
KOKKOS_INLINE_FUNCTION bool wait_for_flag(const SharedFlag* flag, std::uint64_t number, const TimeLimit& limit) {
  return wait_until([&] { return has_come(flag, number, limit.gave_up); }, limit);
}

/// Whether all teams that share a message have done their part, of which this is one. Called by one thread of each.
KOKKOS_INLINE_FUNCTION bool is_last_of(PeerCount& count, int num_teams) {
  if (num_teams == 1) return true;
  if (Kokkos::atomic_fetch_add(&count.teams, std::uint64_t(1)) + 1 < std::uint64_t(num_teams)) return false;
  store_shared(&count.teams, 0);
  return true;
}

}  // namespace ashlar::impl
