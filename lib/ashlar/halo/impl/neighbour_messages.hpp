#pragma once

#include <ashlar/comm/communicator.hpp>
#include <ashlar/halo/halo_figures.hpp>
#include <ashlar/halo/neighbour_message.hpp>
#include <memory>
#include <vector>

namespace ashlar::impl {

/// The messages of an exchange through the transport: for each of its slots one to, and one from, each neighbour, made
/// once.
///
/// They have a group of ranks of their own, and each slot a tag of its own: no message of one exchange is ever taken
/// for one of another, however far ahead a neighbour is.
class NeighbourMessages {
 public:
  /// `comm` is a group of its own.
  NeighbourMessages(Communicator comm, std::vector<NeighbourMessage> to, std::vector<NeighbourMessage> from);

  /// The messages of the next slot, from and to these buffers.
  void add_slot(const void* send, void* receive);

  void start_receives(int slot);
  void start_sends(int slot);
  /// Until the buffer may be written again.
  void wait_for_sends(int slot);
  void wait_for_receives(int slot);
  /// A neighbour, by place in `from`, whose message has come and was not returned since start_receives(); waits for
  /// one. -1 where all have been.
  int wait_for_any(int slot);

  /// Until all that was sent has gone. Where the transport fails, it says so elsewhere.
  void wait_for_all_sends() noexcept;

  /// How long the host has waited for messages so far.
  double waited_seconds() const { return waited_seconds_; }
  /// What went and what came, counted as it was started and as it came.
  const HaloCount& sent() const { return sent_; }
  const HaloCount& received() const { return received_; }

 private:
  struct Slot {
    std::vector<std::unique_ptr<Message>> sends, receives;
    std::vector<char> is_taken;
  };
  /// Adds what wait() takes to the time waited.
  template <class Wait>
  void timed(const Wait& wait);

  Communicator comm_;
  std::vector<NeighbourMessage> to_, from_;
  double waited_seconds_ = 0;
  HaloCount sent_, received_;
  std::vector<Slot> slots_;
};

}  // namespace ashlar::impl
