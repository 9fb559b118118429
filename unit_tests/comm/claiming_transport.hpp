#pragma once

#include <algorithm>
#include <ashlar/comm/communicator.hpp>
#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

// A transport that says of itself that it takes device memory, and does as a test wants. In a build for hosts the
// device's memory is the host's, so that all is tried there as it would be on a device.
namespace ashlar::testing {

/// A message that has come.
struct Came {
  int rank, from;
  unsigned char* data;
  std::size_t bytes;
  int start;  ///< the n-th of this message, from 0
};

struct ClaimingOptions {
  std::function<bool(int rank)> claims = [](int) { return true; };
  /// Does to it what a faulty library would.
  std::function<void(const Came&)> spoil = [](const Came&) {};
  /// "" is what the transport underneath says.
  std::function<std::string(int rank)> host_name = [](int) { return std::string(); };
};

/// State shared by all ranks of one transport.
class ClaimingLog {
 public:
  void received_in(const void* data) {
    const std::lock_guard lock(mutex_);
    ++num_received_;
    places_.insert(data);
  }
  int num_received() const {
    const std::lock_guard lock(mutex_);
    return num_received_;
  }
  /// True if a message arrived at this address.
  bool came_to(const void* data) const {
    const std::lock_guard lock(mutex_);
    return places_.count(data) > 0;
  }

 private:
  mutable std::mutex mutex_;
  int num_received_ = 0;
  std::set<const void*> places_;
};

class ClaimingReceive final : public Message {
 public:
  ClaimingReceive(std::unique_ptr<Message> message, Came came, const ClaimingOptions& options,
                  std::shared_ptr<ClaimingLog> log)
      : message_(std::move(message)), came_(came), options_(options), log_(std::move(log)) {}

  void start() override {
    message_->start();
    is_under_way_ = true;
  }
  bool is_done() override { return message_->is_done(); }
  void wait() override {
    message_->wait();
    if (!is_under_way_) return;
    is_under_way_ = false;
    log_->received_in(came_.data);
    options_.spoil(came_);
    ++came_.start;
  }

 private:
  std::unique_ptr<Message> message_;
  Came came_;
  ClaimingOptions options_;
  std::shared_ptr<ClaimingLog> log_;
  bool is_under_way_ = false;
};

class ClaimingTransport final : public Transport {
 public:
  ClaimingTransport(Communicator comm, ClaimingOptions options, std::shared_ptr<ClaimingLog> log)
      : comm_(std::move(comm)), options_(std::move(options)), log_(std::move(log)) {}

  int rank() const override { return comm_.rank(); }
  int size() const override { return comm_.size(); }
  std::string name() const override { return "claiming"; }
  std::string explain() const override { return ""; }
  std::string host_name() const override {
    const std::string given = options_.host_name(rank());
    return given.empty() ? comm_.transport().host_name() : given;
  }
  int num_hosts() const override {
    if (options_.host_name(0).empty()) return comm_.transport().num_hosts();
    std::set<std::string> names;
    for (int rank = 0; rank < size(); ++rank) names.insert(options_.host_name(rank));
    return static_cast<int>(names.size());
  }
  Reach reach(MemoryKind) const override { return options_.claims(rank()) ? Reach::claimed : Reach::none; }

  void barrier() override { comm_.barrier(); }
  void all_gather(const void* mine, std::size_t bytes, void* all) override {
    const auto message = comm_.gathering(mine, bytes, all);
    message->start();
    message->wait();
  }
  void all_gather_varying(const void* mine, const std::vector<std::size_t>& bytes_of, void* all) override {
    const auto* const begin = static_cast<const char*>(mine);
    copy(comm_.all_gather(std::vector<char>(begin, begin + bytes_of[std::size_t(rank())])), all);
  }
  void all_to_all(const void* send, const std::vector<std::size_t>& send_bytes, void* receive,
                  const std::vector<std::size_t>&) override {
    std::vector<std::vector<char>> to;
    const auto* begin = static_cast<const char*>(send);
    for (const std::size_t bytes : send_bytes) {
      to.emplace_back(begin, begin + bytes);
      begin += bytes;
    }
    std::vector<char> came;
    for (const auto& part : comm_.all_to_all(to)) came.insert(came.end(), part.begin(), part.end());
    copy(came, receive);
  }
  void broadcast(void* data, std::size_t bytes, int root) override {
    std::string value(bytes, '\0');
    if (rank() == root && bytes > 0) std::memcpy(value.data(), data, bytes);
    value = comm_.broadcast(value, root);
    if (bytes > 0) std::memcpy(data, value.data(), bytes);
  }
  std::unique_ptr<Transport> split(int colour, int key) override {
    return std::make_unique<ClaimingTransport>(comm_.split(colour, key), options_, log_);
  }

  std::unique_ptr<Message> send(const void* data, std::size_t bytes, int to, int tag) override {
    return comm_.send(data, bytes, to, tag);
  }
  std::unique_ptr<Message> receive(void* data, std::size_t bytes, int from, int tag) override {
    const Came came{rank(), from, static_cast<unsigned char*>(data), bytes, 0};
    return std::make_unique<ClaimingReceive>(comm_.receive(data, bytes, from, tag), came, options_, log_);
  }
  std::unique_ptr<Message> gathering(const void* mine, std::size_t bytes, void* all) override {
    return comm_.gathering(mine, bytes, all);
  }
  [[noreturn]] void abort(int exit_code) noexcept override { comm_.abort("the end of a test", exit_code); }

 private:
  static void copy(const std::vector<char>& from, void* to) {
    if (!from.empty()) std::memcpy(to, from.data(), from.size());
  }

  Communicator comm_;
  ClaimingOptions options_;
  std::shared_ptr<ClaimingLog> log_;
};

/// The ranks of `comm`, by such a transport.
inline Communicator claiming(const Communicator& comm, const ClaimingOptions& options = {},
                             std::shared_ptr<ClaimingLog> log = std::make_shared<ClaimingLog>()) {
  return Communicator(std::make_unique<ClaimingTransport>(comm.duplicate(), options, std::move(log)));
}

/// Damages the last byte of messages of just this size; on this rank alone, where one is given.
inline ClaimingOptions wrong_at(std::size_t bytes, int rank = -1) {
  ClaimingOptions options;
  options.spoil = [bytes, rank](const Came& came) {
    if (came.bytes == bytes && (rank < 0 || came.rank == rank)) came.data[bytes - 1] ^= 1U;
  };
  return options;
}

}  // namespace ashlar::testing
