#pragma once

#include <mpi.h>

#include <ashlar/comm/mpi/communicator.hpp>
#include <ashlar/comm/transport.hpp>
#include <memory>
#include <string>
#include <vector>

#include "handle.hpp"

namespace ashlar::impl {

class MpiTransport final : public Transport {
 public:
  /// Collective, over a communicator of our own.
  MpiTransport(std::shared_ptr<const MpiHandle> comm, MpiOptions options, std::string host_name);

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  std::string name() const override { return "mpi"; }
  std::string explain() const override;
  std::string host_name() const override { return host_name_; }
  int num_hosts() const override { return num_hosts_; }
  Reach reach(MemoryKind kind) const override;

  void barrier() override;
  void all_gather(const void* mine, std::size_t bytes, void* all) override;
  void all_gather_varying(const void* mine, const std::vector<std::size_t>& bytes_of, void* all) override;
  void all_to_all(const void* send, const std::vector<std::size_t>& send_bytes, void* receive,
                  const std::vector<std::size_t>& receive_bytes) override;
  void broadcast(void* data, std::size_t bytes, int root) override;
  std::unique_ptr<Transport> split(int colour, int key) override;

  std::unique_ptr<Message> send(const void* data, std::size_t bytes, int to, int tag) override;
  std::unique_ptr<Message> receive(void* data, std::size_t bytes, int from, int tag) override;
  std::unique_ptr<Message> gathering(const void* mine, std::size_t bytes, void* all) override;

  [[noreturn]] void abort(int exit_code) noexcept override;

 private:
  void require(int other, int tag) const;

  std::shared_ptr<const MpiHandle> comm_;
  MpiOptions options_;
  int rank_ = 0, size_ = 1, num_hosts_ = 1;
  std::string host_name_;
};

}  // namespace ashlar::impl
