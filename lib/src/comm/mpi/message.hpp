#pragma once

#include <mpi.h>

#include <ashlar/comm/transport.hpp>
#include <cstddef>
#include <memory>
#include <vector>

#include "calls.hpp"

namespace ashlar::impl {

/// The common base of sends, receives and gatherings: a list of requests.
///
/// The destructor of a message under way waits for its end, since MPI uses the buffers until then. It has a time limit:
/// if the other rank has left, the job ends.
class MpiMessage : public Message {
 public:
  ~MpiMessage() override;
  void start() final;
  bool is_done() final;
  void wait() final;

 protected:
  explicit MpiMessage(std::shared_ptr<const MpiHandle> comm) : comm_(std::move(comm)) {}
  MPI_Comm comm() const { return comm_->get(); }
  /// Destructors of derived classes call this, while all members exist.
  void end(bool may_cancel) noexcept;

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
  MpiTransfer(std::shared_ptr<const MpiHandle> comm, Direction direction, std::byte* data, std::size_t bytes, int other,
              int tag, std::size_t largest_piece);
  ~MpiTransfer() override;

 private:
  void begin() override;

  Direction direction_;
};

class MpiGathering final : public MpiMessage {
 public:
  MpiGathering(std::shared_ptr<const MpiHandle> comm, const void* mine, int bytes, void* all)
      : MpiMessage(std::move(comm)), mine_(mine), bytes_(bytes), all_(all) {}
  ~MpiGathering() override { end(false); }

 private:
  void begin() override;

  const void* mine_;
  int bytes_;
  void* all_;
};

}  // namespace ashlar::impl
