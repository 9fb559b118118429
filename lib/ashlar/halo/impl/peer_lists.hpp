#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/comm/peer/peer_flag.hpp>
#include <ashlar/device/patient_wait.hpp>
#include <ashlar/halo/impl/exchange_backend.hpp>
#include <cstddef>
#include <cstdint>
#include <desul/atomics.hpp>

namespace ashlar::impl {

/// What goes to one neighbour: to a slot of its memory.
struct PeerPut {
  std::byte* slots = nullptr;       ///< its place, or that of its packets, in slot 0 of the neighbour's memory
  std::int64_t slot_bytes = 0;      ///< how far apart slots are there
  PeerFlag* arrived = nullptr;      ///< the neighbour's
  const PeerFlag* taken = nullptr;  ///< raised by the neighbour when a slot may be written again
  bool is_packets = false;
};

/// What comes from one neighbour, to a slot of this rank's memory.
struct PeerGet {
  std::byte* slots = nullptr;
  const std::byte* packets = nullptr;  ///< in slot 0; null where it does not come as packets
  std::int64_t num_words = 0;          ///< of four bytes, where it does
  std::int64_t slot_bytes = 0;
  const PeerFlag* arrived = nullptr;
  PeerFlag* taken = nullptr;  ///< the neighbour's
};

/// What kernels count of what goes to, or comes from, one neighbour.
struct PeerCount {
  std::uint64_t exchanges = 0;  ///< that have been made
  std::uint64_t teams = 0;      ///< that have done their part of the one that is under way
};

/// Why kernels have given up.
enum PeerFailure : int { peers_work = 0, peer_is_late = 1, peer_flag_is_wrong = 2 };

/// How long kernels wait, and whether one has given up.
struct PeerPatience {
  std::uint64_t nanoseconds;
  int* gave_up;
};

// Exchanges have numbers, from 1, and go through slots in turns. Kernels count for themselves, so that they may be
// captured and replayed: the number is what they have counted, and what was skipped (SkipToSlot).

KOKKOS_INLINE_FUNCTION int slot_of(std::uint64_t number) {
  return int((number - 1) % std::uint64_t(num_exchange_slots));
}

/// Whether a neighbour's flag has come to a number; then all that it wrote before is seen. No flag gets further ahead
/// than there are slots: what is there is then no count.
KOKKOS_INLINE_FUNCTION bool has_come(const PeerFlag* flag, std::uint64_t number, int* gave_up) {
  const std::uint64_t count = load_shared(&flag->count);
  if (count < number) return false;
  if (count - number > std::uint64_t(num_exchange_slots)) {
    Kokkos::atomic_store(gave_up, int(peer_flag_is_wrong));
    return false;
  }
  desul::atomic_thread_fence(desul::MemoryOrderAcquire(), desul::MemoryScopeNode());
  return true;
}

/// Waits for it. False where it does not come.
KOKKOS_INLINE_FUNCTION bool wait_for_flag(const PeerFlag* flag, std::uint64_t number, const PeerPatience& patience) {
  return wait_patiently([&] { return has_come(flag, number, patience.gave_up); }, patience.nanoseconds,
                        patience.gave_up);
}

/// Whether all teams that share a message have done their part, of which this is one. Called by one thread of each.
KOKKOS_INLINE_FUNCTION bool is_last_of(PeerCount& count, int num_teams) {
  if (num_teams == 1) return true;
  if (Kokkos::atomic_fetch_add(&count.teams, std::uint64_t(1)) + 1 < std::uint64_t(num_teams)) return false;
  store_shared(&count.teams, 0);
  return true;
}

}  // namespace ashlar::impl
