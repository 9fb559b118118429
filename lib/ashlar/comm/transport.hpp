#pragma once

#include <ashlar/base/error.hpp>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ashlar {

/// A transport that failed: what it said is in the message.
class CommError : public Error {
  using Error::Error;
};

/// Another rank failed where all ranks act together; its message is in this one's.
class RankError : public Error {
 public:
  RankError(int rank, std::string problem, std::string why, std::string suggestion)
      : Error(std::move(problem), std::move(why), std::move(suggestion)), rank_(rank) {}
  /// The lowest rank that failed.
  int rank() const { return rank_; }

 private:
  int rank_;
};

/// Whose memory it is that a message goes from or to. Memory of the host that a device reaches, too, such as pinned
/// memory, is the host's; memory that moves between both is the device's.
enum class MemoryKind { host, cuda, hip, other };

/// "host", "CUDA", ...
std::string_view to_string(MemoryKind kind);

/// One transfer between ranks that is made once and may be started any number of times: a send, a receive, or a
/// collective. Between start() and the end of wait() its buffers are the transport's.
///
/// Async    start() returns at once; wait() returns when the buffers may be used again; is_done() tells whether wait()
///          would return at once, and lets the transport go on. One that was never started is done.
///          The destructor gives up what is under way; then the buffers may go, too.
/// Throws   CommError where the transport fails.
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

/// Whether a transport reaches memory of some kind with its messages.
enum class Reach {
  none,     ///< it does not say that it does
  claimed,  ///< it says so; whether it is so, find_direct_messages() tries
  certain,  ///< by its nature
};

/// What carries bytes between the ranks of one group: MPI, threads of one process, or nothing, where a rank is alone.
/// A Communicator is what its users see.
///
/// All memory is the host's, save that of send() and receive() where reach() says so. Messages between two ranks with
/// the same tag arrive in the order of their starts. Tags are 0 to 1023. Collectives (all but send and receive) are
/// called by all ranks in the same order.
///
/// Throws   CommError where the transport fails.
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
  /// For people: version, how buffers travel, what was checked; "" where there is nothing to tell.
  virtual std::string explain() const = 0;
  /// A name that the ranks on one host share, and no others.
  virtual std::string host_name() const = 0;
  /// How many hosts the ranks are on.
  virtual int num_hosts() const = 0;
  /// Whether the data of send() and receive() may lie in memory of this kind, as far as this rank knows.
  virtual Reach reach(MemoryKind kind) const { return kind == MemoryKind::host ? Reach::certain : Reach::none; }

  virtual void barrier() = 0;
  /// `all` gets `bytes` of each rank, in rank order.
  virtual void all_gather(const void* mine, std::size_t bytes, void* all) = 0;
  /// The same with a length of each rank's own: `bytes_of` has one for each rank, the same everywhere.
  virtual void all_gather_varying(const void* mine, const std::vector<std::size_t>& bytes_of, void* all) = 0;
  /// Everybody's part for everybody: `send_bytes[r]` to rank r, `receive_bytes[r]` from it, both laid side by side in
  /// rank order.
  virtual void all_to_all(const void* send, const std::vector<std::size_t>& send_bytes, void* receive,
                          const std::vector<std::size_t>& receive_bytes) = 0;
  virtual void broadcast(void* data, std::size_t bytes, int root) = 0;

  /// Collective: the ranks of one colour make a group, in the order of their keys and then of their ranks.
  virtual std::unique_ptr<Transport> split(int colour, int key) = 0;

  virtual std::unique_ptr<Message> send(const void* data, std::size_t bytes, int to, int tag) = 0;
  virtual std::unique_ptr<Message> receive(void* data, std::size_t bytes, int from, int tag) = 0;
  /// all_gather() as a message.
  virtual std::unique_ptr<Message> gathering(const void* mine, std::size_t bytes, void* all) = 0;

  /// Ends the whole job, other ranks included, with this exit code; what is to be said has been said.
  [[noreturn]] virtual void abort(int exit_code) noexcept = 0;
};

}  // namespace ashlar

namespace ashlar::impl {

/// The transport of a rank that is alone. It gathers, and sends nothing: there is nobody else.
std::unique_ptr<Transport> self_transport();

/// What this machine is called; ASHLAR_HOST_NAME where that is set, so that the ranks of one machine can act as those
/// of several.
std::string host_name();

}  // namespace ashlar::impl
