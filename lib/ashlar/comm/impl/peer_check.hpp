#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/comm/error.hpp>
#include <cstddef>
#include <cstdint>

namespace ashlar::impl {

/// So many words each rank writes to each other one, at the front of its segment.
inline constexpr int peer_check_words = 64;

inline std::size_t peer_check_bytes(int num_ranks) {
  return static_cast<std::size_t>(num_ranks) * peer_check_words * sizeof(std::uint32_t);
}

/// Word i of what one rank writes to another.
KOKKOS_INLINE_FUNCTION std::uint32_t peer_check_word(int from, int to, int i) {
  return 2654435761U * static_cast<std::uint32_t>(1 + from + 4096 * to) ^ static_cast<std::uint32_t>(i);
}

struct WritePeerCheck {
  std::uint32_t* to;
  int from_rank, to_rank;
  KOKKOS_INLINE_FUNCTION void operator()(int i) const { to[i] = peer_check_word(from_rank, to_rank, i); }
};

struct CountWrongPeerWords {
  const std::uint32_t* words;
  int own_rank;
  KOKKOS_INLINE_FUNCTION void operator()(int i, int& wrong) const {
    if (words[i] != peer_check_word(i / peer_check_words, own_rank, i % peer_check_words)) ++wrong;
  }
};

/// Each rank writes to all others, and each looks at what they have written. `segments` are PeerSegments, or what a
/// test takes for some.
///
/// Throws   on all ranks together, where one has found something else: CommError on those that have.
template <execution_space Exec, class Segments>
void check_peer_memory(const Exec& exec, const Segments& segments) {
  const Communicator& comm = segments.comm();
  const int rank = comm.rank();
  comm.together([&] {
    for (int other = 0; other < comm.size(); ++other) {
      auto* const words = reinterpret_cast<std::uint32_t*>(segments.at(other)) + rank * peer_check_words;
      Kokkos::parallel_for("ashlar::comm[write to peers]", Kokkos::RangePolicy<Exec>(exec, 0, peer_check_words),
                           WritePeerCheck{words, rank, other});
    }
    exec.fence("ashlar::comm: written to peers");
  });
  comm.barrier();
  comm.together([&] {
    int wrong = 0;
    Kokkos::parallel_reduce(
        "ashlar::comm[read from peers]", Kokkos::RangePolicy<Exec>(exec, 0, comm.size() * peer_check_words),
        CountWrongPeerWords{reinterpret_cast<const std::uint32_t*>(segments.at(rank)), rank}, wrong);
    if (wrong == 0) return;
    throw CommError(text("comm: ", wrong, " words that other ranks wrote to memory of rank ", rank, " are not there"),
                    "memory that is said to be shared is not", "let messages go through the transport");
  });
}

}  // namespace ashlar::impl
