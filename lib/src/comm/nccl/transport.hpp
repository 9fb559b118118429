#pragma once

#include <ashlar/comm/nccl/transport.hpp>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace ashlar::impl {

/// A communicator of NCCL that is our own, and the thread that looks after it.
class NcclTransport final : public StreamTransport {
 public:
  /// Takes what ncclCommInitRank or ncclCommSplit made.
  NcclTransport(ncclComm_t comm, int num_ranks);
  ~NcclTransport() override;

  /// Collective over the ranks of `group`, whose devices are those of their threads.
  static std::unique_ptr<NcclTransport> of_ranks(const Communicator& group);
  /// The same by a split of `nccl`, which has the ranks of `group`.
  static std::unique_ptr<NcclTransport> split_of(ncclComm_t nccl, const Communicator& group);

  MemoryKind memory() const override;
  std::string name() const override;
  std::string explain() const override;

  std::unique_ptr<StreamTransport> make_for(const Communicator& group) const override;
  void exchange(std::span<const StreamSend> sends, std::span<const StreamReceive> receives, void* stream) override;
  void all_gather(const void* mine, std::size_t bytes, void* all, void* stream) override;
  void check() const override;
  void abort() noexcept override;

 private:
  /// Calls enqueue(comm), and makes an error of what it returns.
  template <class Enqueue>
  void run(const char* call, const Enqueue& enqueue);
  void watch();

  // With the mutex held:
  void require_alive() const;
  void fail(const std::string& why) noexcept;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  ncclComm_t comm_;  // null once it has been aborted
  int num_ranks_;
  std::string failure_;
  bool is_ending_ = false;
  std::thread watcher_;
};

}  // namespace ashlar::impl
