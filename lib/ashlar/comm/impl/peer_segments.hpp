#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/comm/transport.hpp>
#include <ashlar/host/file_descriptor.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ashlar::impl {

/// Memory that this rank has made, or opened from another rank.
struct PeerSegment {
  std::byte* data = nullptr;
  std::shared_ptr<void> memory;  ///< owns it
  std::function<void()> hide;    ///< hides it from other processes, once all ranks have opened it; may be empty
};

/// A segment of each rank of one host, as this rank reaches it. Constructor and destructor are collective.
class PeerSegments {
 public:
  /// If `kind` is a device's, the segments are on the current device and shared by `sharing`; `why` explains that
  /// choice.
  ///
  /// Throws   Error on all ranks together; nothing stays open.
  PeerSegments(std::shared_ptr<const Communicator> comm, MemoryKind kind, std::size_t bytes, PeerSharing sharing,
               const std::string& why);
  ~PeerSegments();
  PeerSegments(const PeerSegments&) = delete;
  PeerSegments& operator=(const PeerSegments&) = delete;

  const Communicator& comm() const { return *comm_; }
  std::byte* at(int rank) const { return data_[static_cast<std::size_t>(rank)]; }
  const std::string& explain() const { return explain_; }

 private:
  std::shared_ptr<const Communicator> comm_;
  PeerSegment own_;
  std::vector<PeerSegment> others_;
  std::vector<std::byte*> data_;
  std::string explain_;
};

/// Segments shared by the first method that works, among those that comm.peer_sharing() allows, and that passes the
/// check, which throws on all ranks together.
///
/// Collective.
/// Throws   on all ranks together, if no method works; ArgumentError if ranks ask for different ones.
std::unique_ptr<PeerSegments> make_peer_segments(Communicator comm, MemoryKind kind, std::size_t bytes,
                                                 const std::function<void(const PeerSegments&)>& check);

/// Words that each rank writes to each other rank, at the front of its segment.
inline constexpr int peer_check_words = 64;

inline std::size_t peer_check_bytes(int num_ranks) {
  return static_cast<std::size_t>(num_ranks) * peer_check_words * sizeof(std::uint32_t);
}

/// Word i of the message from one rank to another.
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

/// Each rank writes to all others and checks the words that it receives. `segments` are PeerSegments, or a test double.
///
/// Throws   on all ranks together, if one has found a wrong word: CommError on that rank.
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
                    "memory that should be shared is not", "let messages go through the transport");
  });
}

/// Passes the open file descriptor `mine` to all other ranks, which are processes of one host, and receives theirs: by
/// rank, open under numbers of this process; none for this rank itself. The caller keeps `mine`.
///
/// The descriptors travel over Unix domain sockets. Socket names are abstract, so that they vanish with the sockets;
/// they hold a random number of rank 0, so that simultaneous calls of any jobs do not interfere. Messages of other
/// users, or of other calls, are dropped.
///
/// Collective.
/// Throws   CommError on all ranks together, if one has failed or waited longer than the time limit.
std::vector<FileDescriptor> pass_descriptors(const Communicator& comm, int mine, double time_out_seconds = 30);

}  // namespace ashlar::impl
