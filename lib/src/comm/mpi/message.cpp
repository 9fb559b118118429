#include "message.hpp"

#include <algorithm>
#include <ashlar/comm/transport.hpp>
#include <chrono>

#include "calls.hpp"

namespace ashlar::impl {

namespace {

// Time limit for the other rank, if a message is given up.
constexpr auto time_limit = std::chrono::seconds(30);

}  // namespace

MpiMessage::~MpiMessage() = default;

void MpiMessage::start() {
  if (is_under_way_) {
    throw CommError("a message is started again", "it has not been waited for", "wait() first, even if is_done()");
  }
  {
    const std::lock_guard alone(one_at_a_time);
    begin();
  }
  is_under_way_ = true;
}

bool MpiMessage::is_done() { return !is_under_way_ || test_all(requests_); }

void MpiMessage::wait() {
  if (!is_under_way_) return;
  wait_all(requests_);
  is_under_way_ = false;
}

void MpiMessage::end(bool may_cancel) noexcept {
  if (!is_under_way_ || !mpi_is_alive()) return;
  try {
    if (test_all(requests_)) return;
    if (may_cancel) {
      for (MPI_Request& request : requests_) {
        // Complete requests are inactive or null, and cannot be cancelled.
        int done = 0;
        check_mpi(MPI_Request_get_status(request, &done, MPI_STATUS_IGNORE), "MPI_Request_get_status");
        if (done == 0) check_mpi(MPI_Cancel(&request), "MPI_Cancel");
      }
    }
    if (wait_all_for(requests_, time_limit)) return;
    abort_mpi(comm(), "a message was given up while under way (the other rank has not taken part for 30 s)");
  } catch (const std::exception& error) {
    abort_mpi(comm(), error.what());
  }
}

MpiTransfer::MpiTransfer(std::shared_ptr<const MpiHandle> comm, Direction direction, std::byte* data, std::size_t bytes,
                         int other, int tag, std::size_t largest_piece)
    : MpiMessage(std::move(comm)), direction_(direction) {
  std::size_t begin = 0;
  do {
    const std::size_t end = std::min(bytes, begin + largest_piece);
    const int count = static_cast<int>(end - begin);
    MPI_Request request = MPI_REQUEST_NULL;
    if (direction == Direction::send) {
      check_mpi(MPI_Send_init(data + begin, count, MPI_BYTE, other, tag, this->comm(), &request), "MPI_Send_init");
    } else {
      check_mpi(MPI_Recv_init(data + begin, count, MPI_BYTE, other, tag, this->comm(), &request), "MPI_Recv_init");
    }
    requests_.push_back(request);
    begin = end;
  } while (begin < bytes);
}

MpiTransfer::~MpiTransfer() {
  end(direction_ == Direction::receive);
  if (!mpi_is_alive()) return;
  for (MPI_Request& request : requests_) {
    // Some libraries free a request that ends with an error, even a persistent one.
    if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
  }
}

void MpiTransfer::begin() {
  // One by one: MPI_Startall may start them in any order, but pieces must match in order.
  for (MPI_Request& request : requests_) check_mpi(MPI_Start(&request), "MPI_Start");
}

void MpiGathering::begin() {
  requests_.assign(1, MPI_REQUEST_NULL);
  check_mpi(MPI_Iallgather(mine_, bytes_, MPI_BYTE, all_, bytes_, MPI_BYTE, comm(), requests_.data()),
            "MPI_Iallgather");
}

}  // namespace ashlar::impl
