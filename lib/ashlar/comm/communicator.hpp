#pragma once

#include <ashlar/comm/transport.hpp>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace ashlar {

/// How processes of one host share the memory of their devices. Host memory is always shared by name.
enum class PeerSharing {
  automatic,    ///< the first of the following that works on all ranks, as checked with known data
  handles,      ///< IPC handles of the runtime (cudaIpc, hipIpc)
  descriptors,  ///< file descriptors passed over sockets (DescribedMemory), if IPC handles do not work; CUDA only
};

/// "automatic", "handles", "descriptors"
std::string_view to_string(PeerSharing sharing);

class StreamTransport;

/// The answer of find_direct_messages(): whether messages may go from and to device memory.
struct DirectMessages {
  bool work = false;
  /// The reason, in either case.
  std::string why = {};
};

/// Values passed to a rank, by name: {"block size", "3"}.
using Claims = std::vector<std::pair<std::string, std::string>>;

/// A group of ranks that work on one system, and their means to communicate. Without MPI, or default-constructed, it is
/// one rank alone with the same interface.
///
/// Move-only: one owner. duplicate() makes another group of the same ranks, whose messages are separate.
/// <ashlar/comm/mpi/communicator.hpp> makes groups over MPI.
///
/// Memory   all data are in host memory. The data of send() and receive() may be in device memory if
///          find_direct_messages() says so (comm/direct_messages.hpp).
/// Async    collectives (all but send and receive) return when this rank's part is done. All ranks call them in the
///          same order.
/// Throws   CommError if the transport fails.
class Communicator {
 public:
  /// One rank alone.
  Communicator();
  explicit Communicator(std::unique_ptr<Transport> transport);

  int rank() const { return transport_->rank(); }
  int size() const { return transport_->size(); }
  bool is_alone() const { return size() == 1; }
  /// The transport in words: "mpi: 4 ranks on 2 hosts, ..."
  std::string explain() const;

  /// Collective, as are all functions up to send().
  Communicator duplicate() const { return split(0, rank()); }
  /// The ranks of one colour, ordered by key and then by rank.
  Communicator split(int colour, int key) const;
  /// The ranks on one host.
  Communicator split_by_host() const;

  void barrier() const { transport_->barrier(); }

  /// One value of each rank, in rank order.
  template <class Value>
  std::vector<Value> all_gather(const Value& mine) const {
    static_assert(std::is_trivially_copyable_v<Value>);
    std::vector<Value> all(static_cast<std::size_t>(size()));
    transport_->all_gather(&mine, sizeof(Value), all.data());
    return all;
  }

  /// Any number of values from each rank, concatenated in rank order.
  template <class Value>
  std::vector<Value> all_gather(const std::vector<Value>& mine) const {
    static_assert(std::is_trivially_copyable_v<Value>);
    std::vector<std::size_t> bytes = all_gather(mine.size() * sizeof(Value));
    std::size_t total = 0;
    for (const std::size_t count : bytes) total += count;
    std::vector<Value> all(total / sizeof(Value));
    transport_->all_gather_varying(mine.data(), bytes, all.data());
    return all;
  }

  std::vector<std::string> all_gather(const std::string& mine) const;

  /// to[r] goes to rank r. Returns the values from each rank for this one.
  template <class Value>
  std::vector<std::vector<Value>> all_to_all(const std::vector<std::vector<Value>>& to) const {
    static_assert(std::is_trivially_copyable_v<Value>);
    std::vector<std::size_t> send_bytes, receive_bytes;
    std::vector<Value> send;
    for (const auto& part : to) {
      send_bytes.push_back(part.size() * sizeof(Value));
      send.insert(send.end(), part.begin(), part.end());
    }
    exchange_sizes(send_bytes, receive_bytes);
    std::size_t total = 0;
    for (const std::size_t bytes : receive_bytes) total += bytes;
    std::vector<Value> receive(total / sizeof(Value));
    transport_->all_to_all(send.data(), send_bytes, receive.data(), receive_bytes);
    std::vector<std::vector<Value>> from;
    auto begin = receive.begin();
    for (const std::size_t bytes : receive_bytes) {
      const auto end = begin + static_cast<std::ptrdiff_t>(bytes / sizeof(Value));
      from.emplace_back(begin, end);
      begin = end;
    }
    return from;
  }

  /// The sum and the maximum over ranks, computed in rank order: the same bits on each rank.
  template <class Value>
  Value sum(const Value& mine) const {
    Value total{};
    for (const Value& value : all_gather(mine)) total += value;
    return total;
  }
  template <class Value>
  Value max(const Value& mine) const {
    Value largest = mine;
    for (const Value& value : all_gather(mine)) largest = value > largest ? value : largest;
    return largest;
  }

  /// The value of `root`, on all ranks.
  template <class Value>
  Value broadcast(Value value, int root = 0) const {
    static_assert(std::is_trivially_copyable_v<Value>);
    transport_->broadcast(&value, sizeof(Value), root);
    return value;
  }
  std::string broadcast(const std::string& value, int root = 0) const;

  /// Calls work() on every rank and returns its result. If it throws on any rank, every rank throws: its own exception,
  /// or a RankError with the rank and the message of the lowest rank that failed. So no rank waits in a collective for
  /// a rank that has left. work() must not leave a collective half done.
  template <class Work>
  auto together(const Work& work) const;

  /// All ranks claim values for the same names.
  ///
  /// Throws   ArgumentError on all ranks, if two of them claim different values; names the first such value.
  void require_same(const std::string& who, const Claims& mine) const;

  /// A message of `bytes` to or from another rank, which may be started any number of times. Tags are 0 to 1023.
  std::unique_ptr<Message> send(const void* data, std::size_t bytes, int to, int tag) const {
    return transport_->send(data, bytes, to, tag);
  }
  std::unique_ptr<Message> receive(void* data, std::size_t bytes, int from, int tag) const {
    return transport_->receive(data, bytes, from, tag);
  }
  /// all_gather() of `bytes`, as a message.
  std::unique_ptr<Message> gathering(const void* mine, std::size_t bytes, void* all) const {
    return transport_->gathering(mine, bytes, all);
  }

  /// The result of find_direct_messages() for this kind of memory, here or in the group that this one was split from;
  /// null before. Only find_direct_messages() calls remember().
  const DirectMessages* direct_messages(MemoryKind kind) const;
  void remember(MemoryKind kind, const DirectMessages& found) const { direct_messages_[kind] = found; }

  /// Makes messages of this group, and of groups split from it later, go in the order of streams, if all ranks have
  /// such a transport. Null: no longer; `why_none` is the reason.
  void use_stream_transport(std::shared_ptr<const StreamTransport> transport, std::string why_none = {}) {
    stream_transport_ = std::move(transport);
    own_streams_.reset();
    why_no_stream_transport_ = std::move(why_none);
  }
  /// The transport for streams of this group, or of the group that it was split from; null if there is none. It may
  /// have more ranks: own_streams() sends messages.
  const std::shared_ptr<const StreamTransport>& stream_transport() const { return stream_transport_; }
  const std::string& why_no_stream_transport() const { return why_no_stream_transport_; }
  /// The transport for streams that all exchanges and sums of this group share. The first call makes it from
  /// stream_transport(), and is collective. All ranks enqueue messages on it in the same order. Work of several
  /// threads, such as simultaneous solves, takes a duplicate() each, which has its own.
  ///
  /// Throws   CommError on all ranks together if it cannot be made.
  const std::shared_ptr<StreamTransport>& own_streams() const;

  /// How the ranks of this group, and of groups split from it later, share memory of devices (PeerMemory): for the
  /// kernel mode of exchanges and sums, and for CG in one kernel of each rank. The same on all ranks.
  void use_peer_sharing(PeerSharing sharing) { peer_sharing_ = sharing; }
  PeerSharing peer_sharing() const { return peer_sharing_; }

  /// Prints `why` to standard error and ends the whole job, all ranks included: for a fault on one rank that cannot
  /// tell the others.
  [[noreturn]] void abort(const std::string& why, int exit_code = 1) const noexcept;

  const Transport& transport() const { return *transport_; }

 private:
  void exchange_sizes(const std::vector<std::size_t>& send, std::vector<std::size_t>& receive) const;
  /// Tells all ranks whether this one has failed, and why. Throws RankError if another rank has failed and this one has
  /// not.
  void agree_on_failure(const std::exception_ptr& failure) const;

  std::unique_ptr<Transport> transport_;
  mutable std::map<MemoryKind, DirectMessages> direct_messages_;
  std::shared_ptr<const StreamTransport> stream_transport_;
  mutable std::shared_ptr<StreamTransport> own_streams_;
  std::string why_no_stream_transport_;
  PeerSharing peer_sharing_ = PeerSharing::automatic;
};

template <class Work>
auto Communicator::together(const Work& work) const {
  using Result = std::invoke_result_t<const Work&>;
  std::optional<std::conditional_t<std::is_void_v<Result>, bool, Result>> result;
  std::exception_ptr failure;
  try {
    if constexpr (std::is_void_v<Result>) {
      work();
    } else {
      result.emplace(work());
    }
  } catch (...) {
    failure = std::current_exception();
  }
  agree_on_failure(failure);
  if (failure) std::rethrow_exception(failure);
  if constexpr (!std::is_void_v<Result>) return std::move(*result);
}

}  // namespace ashlar
