#pragma once

#include <ashlar/comm/transport.hpp>
#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace ashlar {

class Communicator;

struct StreamSend {
  const void* data = nullptr;
  std::size_t bytes = 0;
  int to = 0;
};

struct StreamReceive {
  void* data = nullptr;
  std::size_t bytes = 0;
  int from = 0;
};

/// What carries bytes between the ranks of one group in the order of a device's stream: NCCL or RCCL. The host enqueues
/// and goes on.
///
/// All ranks enqueue the same in the same order, as nothing else tells one message from the next; what is enqueued on
/// several streams goes in that order, too. To make one takes long (NCCL: most of a second), so that all users of a
/// group share one, Communicator::own_streams(), as long as they keep that order. A Communicator holds the one that
/// these are made of (use_stream_transport()), and so do the groups that are split from it.
///
/// Memory   all data are in memory of the kind memory().
/// Async    exchange() and all_gather() are enqueued on `stream`, a cudaStream_t or hipStream_t. Of the host's memory
///          `stream` is null, and all is done when they return. The first message between two ranks may have the host
///          wait for the other one. One thread at a time calls these; abort(), any.
/// Throws   CommError where the transport fails: then it has been aborted, for all who share it.
class StreamTransport {
 public:
  virtual ~StreamTransport() = default;
  StreamTransport() = default;
  StreamTransport(const StreamTransport&) = delete;
  StreamTransport& operator=(const StreamTransport&) = delete;

  /// Whose memory messages go from and to.
  virtual MemoryKind memory() const = 0;
  /// "nccl"
  virtual std::string name() const = 0;
  /// For people: the version, what was checked.
  virtual std::string explain() const = 0;

  /// Another one, for a group of the same ranks, or of some of them. Collective over that group.
  ///
  /// Throws   CommError on all ranks of the group together.
  virtual std::unique_ptr<StreamTransport> make_for(const Communicator& group) const = 0;

  /// Messages to and from other ranks, at most one each way, all at once: each send meets the receive of the same
  /// exchange on its rank, which has the same length.
  virtual void exchange(std::span<const StreamSend> sends, std::span<const StreamReceive> receives, void* stream) = 0;
  /// `all` gets `bytes` of each rank, in rank order.
  virtual void all_gather(const void* mine, std::size_t bytes, void* all, void* stream) = 0;

  /// Throws CommError where it has been aborted: what was enqueued has then ended without its data.
  virtual void check() const = 0;
  /// Gives up what is enqueued: no stream waits for other ranks any more. Nothing else works from then on.
  virtual void abort() noexcept = 0;
};

/// Whether messages of a group go in the order of streams: what find_stream_messages() answers.
struct StreamMessages {
  bool work = false;
  /// Why not; where they do, by what.
  std::string why = {};
};

/// Whether each rank of the group has a StreamTransport for the memory that it computes in, which is of this kind here,
/// and of the same kind on all. Collective; the same answer on all ranks.
StreamMessages find_stream_messages(const Communicator& comm, MemoryKind kind);

}  // namespace ashlar
