#pragma once

#include <ashlar/comm/communicator.hpp>
#include <ashlar/halo/neighbour_message.hpp>
#include <cstdint>
#include <vector>

namespace ashlar::impl {

/// Where in each other's memory the ranks of an exchange write. The segment of a rank: for each neighbour of `from` a
/// flag, raised there when its data have arrived; for each of `to` one, raised when that neighbour has done with them;
/// then slots of what comes, each with places for packets of short messages behind it.
class PeerRoutes {
 public:
  /// Offsets in the neighbour's segment.
  struct To {
    std::int64_t bytes = 0, slots = 0, slot_bytes = 0, arrived = 0;
    bool are_packets = false;
  };
  struct From {
    std::int64_t taken = 0;
    std::int64_t packets = -1;  ///< in this rank's own segment, in slot 0; -1 where it comes as it is
  };

  /// Collective.
  PeerRoutes(const Communicator& comm, const std::vector<NeighbourMessage>& to,
             const std::vector<NeighbourMessage>& from, std::int64_t packet_bytes);

  std::int64_t segment_bytes() const { return segment_bytes_; }
  std::int64_t arrived_flag(int from) const;
  std::int64_t taken_flag(int to) const;
  std::int64_t slots_begin() const { return slots_begin_; }
  std::int64_t slot_bytes() const { return slot_bytes_; }
  const std::vector<To>& to() const { return to_; }
  const std::vector<From>& from() const { return from_; }
  /// All begins and lengths of what goes are multiples of it: 16, 4 or 1.
  std::int64_t word_bytes() const { return word_bytes_; }

 private:
  std::vector<To> to_;
  std::vector<From> from_;
  std::int64_t slots_begin_ = 0, slot_bytes_ = 0, segment_bytes_ = 0, word_bytes_ = 16;
};

}  // namespace ashlar::impl
