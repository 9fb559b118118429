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

/// Memory that this rank has made, or that another one has made and this one reaches. The destructor gives it back.
class PeerSegment {
 public:
  virtual ~PeerSegment() = default;
  PeerSegment() = default;
  PeerSegment(const PeerSegment&) = delete;
  PeerSegment& operator=(const PeerSegment&) = delete;

  /// All that are to reach it do: nobody else need find it.
  virtual void hide() {}

  std::byte* data = nullptr;
};

struct PeerTicket;

/// A segment of each rank of one host, as this rank reaches it. Collective: constructor and destructor.
class PeerSegments {
 public:
  /// Of the device that is current, and shared in this way, where `kind` is a device's. `why`: that way, for people.
  ///
  /// Throws   Error on all ranks together, with nothing left open.
  PeerSegments(std::shared_ptr<const Communicator> comm, MemoryKind kind, std::size_t bytes, PeerSharing sharing,
               const std::string& why);
  ~PeerSegments();
  PeerSegments(const PeerSegments&) = delete;
  PeerSegments& operator=(const PeerSegments&) = delete;

  const Communicator& comm() const { return *comm_; }
  std::byte* at(int rank) const { return data_[static_cast<std::size_t>(rank)]; }
  const std::string& explain() const { return explain_; }

 private:
  void open_others(const std::vector<PeerTicket>& tickets, const PeerTicket& mine,
                   const std::vector<FileDescriptor>& descriptors);

  std::shared_ptr<const Communicator> comm_;
  std::unique_ptr<PeerSegment> own_;
  std::vector<std::unique_ptr<PeerSegment>> others_;
  std::vector<std::byte*> data_;
  std::string explain_;
};

/// Segments that are shared in the first way that works, of those that comm.peer_sharing() allows, and that have passed
/// the check, which throws on all ranks together.
///
/// Collective.
/// Throws   on all ranks together, where no way works; ArgumentError where ranks ask for different ones.
std::unique_ptr<PeerSegments> make_peer_segments(Communicator comm, MemoryKind kind, std::size_t bytes,
                                                 const std::function<void(const PeerSegments&)>& check);

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

/// Hands what this rank has open to all the others, processes of one host, and takes what they have: by rank, open here
/// under numbers of this process; none of this rank itself. `mine` stays open, and the caller's.
///
/// Over Unix domain sockets of this call alone. Their names are in no folder and go with the sockets; they hold a
/// random number that rank 0 has drawn, so that calls at the same time, of whatever jobs, do not meet. What comes from
/// another user, or was not sent by this call, is dropped.
///
/// Collective.
/// Throws   CommError on all ranks together, where one has failed or has waited so long for another.
std::vector<FileDescriptor> pass_descriptors(const Communicator& comm, int mine, double time_out_seconds = 30);

}  // namespace ashlar::impl
