#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/device/packets/flag.hpp>
#include <ashlar/device/packets/time_limit.hpp>
#include <ashlar/halo/exchange_mode.hpp>
#include <ashlar/halo/impl/exchange_backend.hpp>
#include <cstddef>
#include <cstdint>
#include <desul/atomics.hpp>
#include <vector>

namespace ashlar::impl {

/// A message to one neighbour, written to a slot of its memory.
struct PeerPut {
  std::byte* slots = nullptr;         ///< the message, or its packets, in slot 0 of the neighbour's memory
  std::int64_t slot_bytes = 0;        ///< the distance of slots there
  SharedFlag* arrived = nullptr;      ///< the neighbour's
  const SharedFlag* taken = nullptr;  ///< raised by the neighbour when a slot may be written again
  bool is_packets = false;
};

/// A message from one neighbour, in a slot of this rank's memory.
struct PeerGet {
  std::byte* slots = nullptr;
  const std::byte* packets = nullptr;  ///< in slot 0; null if it does not come as packets
  std::int64_t num_words = 0;          ///< of four bytes, if it does
  std::int64_t slot_bytes = 0;
  const SharedFlag* arrived = nullptr;
  SharedFlag* taken = nullptr;  ///< the neighbour's
};

/// Counters of kernels for the messages to or from one neighbour.
struct PeerCount {
  std::uint64_t exchanges = 0;  ///< made so far
  std::uint64_t teams = 0;      ///< that have finished their part of the exchange under way
};

/// Why a kernel has given up: the values of TimeLimit::gave_up.
enum PeerFailure : int { peers_work = 0, peer_is_late = 1, flag_is_wrong = 2 };

// Exchanges have numbers, from 1, and use the slots cyclically. Kernels count exchanges themselves, so that they can be
// captured and replayed: the number is their count plus the skipped exchanges (SkipToSlot).

KOKKOS_INLINE_FUNCTION int slot_of(std::uint64_t number) {
  return int((number - 1) % std::uint64_t(num_exchange_slots));
}

/// True if a neighbour's flag has reached a number; all that the neighbour wrote before is then visible. No flag is
/// ahead by more than the number of slots: a larger value is no count, and the caller gives up.
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

/// Waits until has_come(). Returns false after the time limit.
KOKKOS_INLINE_FUNCTION bool wait_for_flag(const SharedFlag* flag, std::uint64_t number, const TimeLimit& limit) {
  return wait_until([&] { return has_come(flag, number, limit.gave_up); }, limit);
}

/// True in the last team of a message to finish its part. One thread of each team calls this.
KOKKOS_INLINE_FUNCTION bool is_last_of(PeerCount& count, int num_teams) {
  if (num_teams == 1) return true;
  if (Kokkos::atomic_fetch_add(&count.teams, std::uint64_t(1)) + 1 < std::uint64_t(num_teams)) return false;
  store_shared(&count.teams, 0);
  return true;
}

/// The part of a message that a team writes or reads: bytes, entries or words [begin, begin + count).
struct PeerChunk {
  int message = 0, num_chunks = 0;  ///< num_chunks: of that message
  std::int64_t begin = 0, count = 0;
  std::int64_t source = 0;  ///< where the bytes lie before they are sent
};

/// Bytes of a message for a team: a short message has few teams, a long one enough. A multiple of all word sizes.
inline std::int64_t chunk_of(std::int64_t message_bytes) {
  constexpr std::int64_t least = 2048, most = 16384;
  return std::clamp(message_bytes / 64 / least * least, least, most);
}

/// Appends the chunks of a message of `count` bytes, entries or words: at least one.
inline void add_chunks(std::vector<PeerChunk>& chunks, int message, std::int64_t count, std::int64_t of_chunk) {
  const std::int64_t num_chunks = std::max<std::int64_t>(1, (count + of_chunk - 1) / of_chunk);
  for (std::int64_t k = 0; k < num_chunks; ++k) {
    chunks.push_back({message, static_cast<int>(num_chunks), k * of_chunk, std::min(of_chunk, count - k * of_chunk)});
  }
}

/// Where the ranks of an exchange write in each other's memory. The segment of a rank begins with flags: one for each
/// neighbour of `from`, raised there when its data have arrived, and one for each neighbour of `to`, raised by that
/// neighbour when it has read them. Slots of received data follow; behind the data, each has room for the packets of
/// short messages.
class PeerRoutes {
 public:
  /// Offsets in the neighbour's segment.
  struct To {
    std::int64_t bytes = 0, slots = 0, slot_bytes = 0, arrived = 0;
    bool are_packets = false;
  };
  struct From {
    std::int64_t taken = 0;
    std::int64_t packets = -1;  ///< in slot 0 of this rank's own segment; -1 if no packets come
  };

  /// Collective.
  PeerRoutes(const Communicator& comm, const std::vector<NeighbourMessage>& to,
             const std::vector<NeighbourMessage>& from, std::int64_t packet_bytes);

  std::int64_t segment_bytes() const { return segment_bytes_; }
  std::int64_t arrived_flag(int from) const;
  std::int64_t taken_flag(int to) const;
  std::int64_t slots_begin() const { return slots_begin_; }
  std::int64_t slot_bytes() const { return slot_bytes_; }
  const std::vector<To>& to() const { return to_; }
  const std::vector<From>& from() const { return from_; }
  /// Divides all begins and lengths of the messages sent: 16, 4 or 1.
  std::int64_t word_bytes() const { return word_bytes_; }

 private:
  std::vector<To> to_;
  std::vector<From> from_;
  std::int64_t slots_begin_ = 0, slot_bytes_ = 0, segment_bytes_ = 0, word_bytes_ = 16;
};

}  // namespace ashlar::impl
