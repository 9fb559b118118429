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

/// Moves bytes between the ranks of one group in the order of a device's stream: NCCL or RCCL. The host enqueues and
/// continues.
///
/// All ranks enqueue the same operations in the same order, also across streams: nothing else matches messages. Making
/// one takes long (NCCL: most of a second), so all users of a group share one, Communicator::own_streams(), if they
/// keep that order. A Communicator holds the transport that these are made from (use_stream_transport()), and so do
/// groups split from it.
///
/// Memory   all data are in memory of the kind memory().
/// Async    exchange() and all_gather() are enqueued on `stream`, a cudaStream_t or hipStream_t. For host memory
///          `stream` is null, and they return when all is done. The first message between two ranks may make the host
///          wait for the other rank. One thread at a time calls these; any thread may call abort().
/// Throws   CommError if the transport fails. It has then been aborted for all who share it.
class StreamTransport {
 public:
  virtual ~StreamTransport() = default;
  StreamTransport() = default;
  StreamTransport(const StreamTransport&) = delete;
  StreamTransport& operator=(const StreamTransport&) = delete;

  /// The memory that messages go from and to.
  virtual MemoryKind memory() const = 0;
  /// "nccl"
  virtual std::string name() const = 0;
  /// Version and results of checks.
  virtual std::string explain() const = 0;

  /// Makes a transport for a group of the same ranks, or of some of them. Collective over that group.
  ///
  /// Throws   CommError on all ranks of the group together.
  virtual std::unique_ptr<StreamTransport> make_for(const Communicator& group) const = 0;

  /// Messages to and from other ranks, at most one each way. Each send matches the receive of the same exchange on its
  /// rank, which has the same length.
  virtual void exchange(std::span<const StreamSend> sends, std::span<const StreamReceive> receives, void* stream) = 0;
  /// `all` gets `bytes` of each rank, in rank order.
  virtual void all_gather(const void* mine, std::size_t bytes, void* all, void* stream) = 0;

  /// Throws   CommError if the transport has been aborted: enqueued operations have then ended without their data.
  virtual void check() const = 0;
  /// Gives up all enqueued operations: no stream waits for other ranks any more. Nothing else works afterwards.
  virtual void abort() noexcept = 0;
};

/// The answer of find_stream_messages(): whether messages of a group can go in the order of streams.
struct StreamMessages {
  bool work = false;
  /// The reason if not; else the transport.
  std::string why = {};
};

/// Checks that each rank of the group has a StreamTransport for the memory in which it computes, and that this memory
/// is of one kind on all ranks; `kind` on this one. Collective; the same answer on all ranks.
StreamMessages find_stream_messages(const Communicator& comm, MemoryKind kind);

}  // namespace ashlar
