#pragma once

#include <ashlar/comm/communicator.hpp>
#include <ashlar/halo/halo_figures.hpp>
#include <ashlar/halo/halo_plan.hpp>
#include <ashlar/halo/impl/staging.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ashlar::impl {

/// What all ranks of an exchange have alike.
struct HaloEntries {
  int scalar_bytes = 8;
  int block_size = 1;
  int num_vectors = 1;
  HaloBuffers buffers = HaloBuffers::automatic;

  std::int64_t scalars() const { return std::int64_t(block_size) * num_vectors; }
  std::int64_t bytes() const { return scalars() * scalar_bytes; }
};

/// HaloExchange::explain()
std::string explain(const HaloFigures& figures, const HaloStaging& staging);

/// The messages of a HaloExchange: for each of its slots one to, and one from, each neighbour, made once.
///
/// They have a group of ranks of their own, and each slot a tag of its own: no message of one exchange is ever taken
/// for one of another, however far ahead a neighbour is.
class HaloMessages {
 public:
  /// Collective.
  ///
  /// Throws   on all ranks together: ArgumentError where these differ between ranks, or lists do not fit together.
  HaloMessages(const Communicator& comm, const HaloPlan& plan, const HaloEntries& entries);

  /// Where in a send buffer the entries for neighbour k of plan.to() begin: the packed ones first, as they are in
  /// plan.send_index(), then the spans.
  const std::vector<std::int64_t>& send_begin() const { return send_begin_; }
  std::int64_t num_sent() const { return num_sent_; }

  /// The messages of the next slot, from and to these buffers.
  void add_slot(const HaloPlan& plan, const void* send, void* receive);

  void start_receives(int slot);
  void start_sends(int slot);
  /// Until the buffer may be written again.
  void wait_for_sends(int slot);
  void wait_for_receives(int slot);
  /// A neighbour of plan.from() whose message has come, and was not returned since start_receives(); waits for one. -1
  /// where all have been.
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
  std::vector<std::int64_t> send_begin_;
  std::vector<std::int64_t> send_bytes_, receive_bytes_;  // of a message to and from each neighbour
  std::int64_t num_sent_ = 0, entry_bytes_ = 8;
  double waited_seconds_ = 0;
  HaloCount sent_, received_;
  std::vector<Slot> slots_;
};

}  // namespace ashlar::impl
