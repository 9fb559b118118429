#pragma once

#include <ashlar/comm/communicator.hpp>
#include <ashlar/comm/stream_transport.hpp>
#include <ashlar/comm/transport.hpp>
#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ashlar::testing {

/// A StreamTransport of the host's memory, over the messages of a communicator: what is enqueued has been done when the
/// call returns, and so the call waits for the other ranks.
class HostStreams final : public StreamTransport {
 public:
  /// Counts of all that were made of one another.
  struct Log {
    std::atomic<int> made{0}, exchanges{0}, gatherings{0}, aborted{0};
    /// The exchange, by number, that fails; -1: none.
    std::atomic<int> failing{-1};
  };

  /// `comm` is used by nobody else.
  explicit HostStreams(Communicator comm, std::shared_ptr<Log> log = std::make_shared<Log>(),
                       MemoryKind memory = MemoryKind::host)
      : comm_(std::move(comm)), log_(std::move(log)), memory_(memory) {}

  MemoryKind memory() const override { return memory_; }
  std::string name() const override { return "host"; }
  std::string explain() const override { return "messages of the host"; }

  std::unique_ptr<StreamTransport> make_for(const Communicator& group) const override {
    ++log_->made;
    return std::make_unique<HostStreams>(group.duplicate(), log_, memory_);
  }

  void exchange(std::span<const StreamSend> sends, std::span<const StreamReceive> receives, void*) override {
    require_alive();
    if (log_->exchanges++ == log_->failing) {
      abort();
      throw CommError("an exchange failed", "the test has it so", "none");
    }
    std::vector<std::unique_ptr<Message>> messages;
    for (const StreamReceive& its : receives) messages.push_back(comm_.receive(its.data, its.bytes, its.from, 0));
    for (const StreamSend& its : sends) messages.push_back(comm_.send(its.data, its.bytes, its.to, 0));
    for (const auto& message : messages) message->start();
    for (const auto& message : messages) message->wait();
  }

  void all_gather(const void* mine, std::size_t bytes, void* all, void*) override {
    require_alive();
    ++log_->gatherings;
    const auto message = comm_.gathering(mine, bytes, all);
    message->start();
    message->wait();
  }

  void check() const override { require_alive(); }
  void abort() noexcept override {
    if (!std::exchange(is_aborted_, true)) ++log_->aborted;
  }

 private:
  void require_alive() const {
    if (is_aborted_) throw CommError("a transport is used", "it has been aborted", "make another one");
  }

  Communicator comm_;
  std::shared_ptr<Log> log_;
  MemoryKind memory_;
  bool is_aborted_ = false;
};

/// A group of the same ranks whose messages may go in the order of streams.
inline Communicator with_host_streams(const Communicator& comm) {
  Communicator result = comm.duplicate();
  result.use_stream_transport(std::make_shared<HostStreams>(comm.duplicate()));
  return result;
}

}  // namespace ashlar::testing
