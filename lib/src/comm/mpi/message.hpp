#pragma once

#include <mpi.h>

#include <algorithm>
#include <ashlar/base/text.hpp>
#include <ashlar/comm/transport.hpp>
#include <chrono>
#include <cstddef>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

#include "calls.hpp"

namespace ashlar::impl {

/// The common base of sends, receives and gatherings: a list of requests.
///
/// The destructor of a message under way waits for its end, since MPI uses the buffers until then. It has a time limit:
/// if the other rank has left, the job ends.
class MpiMessage : public Message {
 public:
  void start() final {
    if (is_under_way_) {
      throw CommError("a message is started again", "it has not been waited for", "wait() first, even if is_done()");
    }
    {
      const std::lock_guard alone(one_at_a_time);
      begin();
    }
    is_under_way_ = true;
  }
  bool is_done() final { return !is_under_way_ || test_all(requests_); }
  void wait() final {
    if (!is_under_way_) return;
    wait_all(requests_);
    is_under_way_ = false;
  }

 protected:
  explicit MpiMessage(std::shared_ptr<const MpiHandle> comm) : comm_(std::move(comm)) {}
  MPI_Comm comm() const { return comm_->get(); }
  /// Destructors of derived classes call this, while all members exist.
  void end(bool may_cancel) noexcept {
    if (!is_under_way_ || !mpi_is_alive()) return;
    try {
      if (test_all(requests_)) return;
      for (MPI_Request& request : requests_) {
        if (!may_cancel) break;
        int done = 0;  // complete requests are inactive or null, and cannot be cancelled
        check_mpi(MPI_Request_get_status(request, &done, MPI_STATUS_IGNORE), "MPI_Request_get_status");
        if (done == 0) check_mpi(MPI_Cancel(&request), "MPI_Cancel");
      }
      constexpr int most_seconds = 30;
      if (wait_all_for(requests_, std::chrono::seconds(most_seconds))) return;
      abort_mpi(comm(), text("a message was given up while under way (the other rank has not taken part for ",
                             most_seconds, " s)")
                            .c_str());
    } catch (const std::exception& error) {
      abort_mpi(comm(), error.what());
    }
  }

  virtual void begin() = 0;

  std::vector<MPI_Request> requests_;

 private:
  std::shared_ptr<const MpiHandle> comm_;
  bool is_under_way_ = false;
};

/// A persistent send or receive, in pieces of at most `largest_piece` bytes.
class MpiTransfer final : public MpiMessage {
 public:
  enum class Direction { send, receive };
  MpiTransfer(std::shared_ptr<const MpiHandle> handle, Direction direction, std::byte* data, std::size_t bytes,
              int other, int tag, std::size_t largest_piece)
      : MpiMessage(std::move(handle)), direction_(direction) {
    std::size_t begin = 0;
    do {
      const std::size_t end = std::min(bytes, begin + largest_piece);
      const int count = static_cast<int>(end - begin);
      MPI_Request& request = requests_.emplace_back(MPI_REQUEST_NULL);
      if (direction == Direction::send) {
        check_mpi(MPI_Send_init(data + begin, count, MPI_BYTE, other, tag, comm(), &request), "MPI_Send_init");
      } else {
        check_mpi(MPI_Recv_init(data + begin, count, MPI_BYTE, other, tag, comm(), &request), "MPI_Recv_init");
      }
      begin = end;
    } while (begin < bytes);
  }
  ~MpiTransfer() override {
    end(direction_ == Direction::receive);
    if (!mpi_is_alive()) return;
    for (MPI_Request& request : requests_) {
      // Some libraries free a request that ends with an error, even a persistent one.
      if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
    }
  }

 private:
  void begin() override {
    // One by one: MPI_Startall may start them in any order, but pieces must match in order.
    for (MPI_Request& request : requests_) check_mpi(MPI_Start(&request), "MPI_Start");
  }

  Direction direction_;
};

class MpiGathering final : public MpiMessage {
 public:
  MpiGathering(std::shared_ptr<const MpiHandle> comm, const void* mine, int bytes, void* all)
      : MpiMessage(std::move(comm)), mine_(mine), bytes_(bytes), all_(all) {}
  ~MpiGathering() override { end(false); }

 private:
  void begin() override {
    requests_.assign(1, MPI_REQUEST_NULL);
    check_mpi(MPI_Iallgather(mine_, bytes_, MPI_BYTE, all_, bytes_, MPI_BYTE, comm(), requests_.data()),
              "MPI_Iallgather");
  }

  const void* mine_;
  int bytes_;
  void* all_;
};

}  // namespace ashlar::impl
