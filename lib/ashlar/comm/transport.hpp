#pragma once

#include <ashlar/base/error.hpp>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ashlar {

/// A transport has failed; the message holds its error.
class CommError : public Error {
  using Error::Error;
};

/// Another rank has failed in a joint operation; the message holds its message.
class RankError : public Error {
 public:
  RankError(int rank, std::string problem, std::string why, std::string suggestion)
      : Error(std::move(problem), std::move(why), std::move(suggestion)), rank_(rank) {}
  /// The lowest rank that failed.
  int rank() const { return rank_; }

 private:
  int rank_;
};

/// The memory that a message goes from or to. Host memory that a device also reaches, such as pinned memory, is `host`;
/// memory that migrates between both belongs to the device.
enum class MemoryKind { host, cuda, hip, other };

/// "host", "CUDA", ...
std::string_view to_string(MemoryKind kind);

/// A transfer between ranks that is made once and may be started any number of times: a send, a receive, or a
/// collective. From start() until wait() returns, the transport owns its buffers.
///
/// Async    start() returns immediately; wait() returns when the buffers may be used again; is_done() tells whether
///          wait() would return immediately, and lets the transport make progress. A message that was never started is
///          done. The destructor gives up a transfer under way; the buffers may then be freed.
/// Throws   CommError if the transport fails.
class Message {
 public:
  virtual ~Message() = default;
  Message() = default;
  Message(const Message&) = delete;
  Message& operator=(const Message&) = delete;

  virtual void start() = 0;
  virtual bool is_done() = 0;
  virtual void wait() = 0;
};

/// How sure it is that messages may lie in a kind of memory.
enum class Reach {
  none,     ///< the transport does not say so
  claimed,  ///< the transport says so; find_direct_messages() tries it
  certain,  ///< always true of this transport
};

/// Moves bytes between the ranks of one group: MPI, threads of one process, or nothing if a rank is alone. Users see a
/// Communicator.
///
/// All data are in host memory; send() and receive() also take other memory if reach() says so. Messages between two
/// ranks with the same tag arrive in the order of their starts. Tags are 0 to 1023. All ranks call collectives (all but
/// send and receive) in the same order.
///
/// Throws   CommError if the transport fails.
class Transport {
 public:
  virtual ~Transport() = default;
  Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// "mpi", "threads", "self"
  virtual std::string name() const = 0;
  /// Version, path of the buffers, results of checks; "" if there is nothing to say.
  virtual std::string explain() const = 0;
  /// A name that exactly the ranks on one host share.
  virtual std::string host_name() const = 0;
  /// The number of hosts.
  virtual int num_hosts() const = 0;
  /// How sure this rank is that the data of send() and receive() may lie in memory of this kind.
  virtual Reach reach(MemoryKind kind) const { return kind == MemoryKind::host ? Reach::certain : Reach::none; }

  virtual void barrier() = 0;
  /// `all` gets `bytes` of each rank, in rank order.
  virtual void all_gather(const void* mine, std::size_t bytes, void* all) = 0;
  /// The same with a length for each rank: `bytes_of` has one for each rank, the same on all ranks.
  virtual void all_gather_varying(const void* mine, const std::vector<std::size_t>& bytes_of, void* all) = 0;
  /// send_bytes[r] bytes go to rank r, receive_bytes[r] come from it; both lie consecutively in rank order.
  virtual void all_to_all(const void* send, const std::vector<std::size_t>& send_bytes, void* receive,
                          const std::vector<std::size_t>& receive_bytes) = 0;
  virtual void broadcast(void* data, std::size_t bytes, int root) = 0;

  /// Collective: the ranks of one colour form a group, ordered by key and then by rank.
  virtual std::unique_ptr<Transport> split(int colour, int key) = 0;

  virtual std::unique_ptr<Message> send(const void* data, std::size_t bytes, int to, int tag) = 0;
  virtual std::unique_ptr<Message> receive(void* data, std::size_t bytes, int from, int tag) = 0;
  /// all_gather() as a message.
  virtual std::unique_ptr<Message> gathering(const void* mine, std::size_t bytes, void* all) = 0;

  /// Ends the whole job, all ranks included, with this exit code. Prints nothing.
  [[noreturn]] virtual void abort(int exit_code) noexcept = 0;
};

}  // namespace ashlar

namespace ashlar::impl {

/// The transport of a rank alone. Collectives copy; there is no rank to send to.
std::unique_ptr<Transport> self_transport();

/// The name of this machine, or ASHLAR_HOST_NAME if that is set: ranks of one machine can then act as if on several.
std::string host_name();

}  // namespace ashlar::impl
