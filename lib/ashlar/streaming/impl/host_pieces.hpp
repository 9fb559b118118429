#pragma once

#include <algorithm>
#include <cstdint>

namespace ashlar::impl {

/// In how many pieces the host multiplies its share, and when: between two it goes on enqueuing.
///
/// A device's queue has room for so much (that of CUDA for more than 1000 subdivisions), and who enqueues more waits
/// until it has; the host multiplies instead. A part of the queue is left, so that the device has work in the meantime.
///
/// A large share has several pieces, however little is to be enqueued: what of x the later ones need comes, and what
/// earlier ones have of y goes, while the host multiplies. (After each piece the slowest thread is waited for: they are
/// to be few.)
struct HostPieces {
  static constexpr int first = 512;  ///< subdivisions that are enqueued before the first piece
  static constexpr int next = 256;   ///< and before those that follow
  /// Of a piece, where a turn has several.
  static constexpr std::uint64_t least_bytes = std::uint64_t(128) << 20;
  static constexpr int most_by_size = 4;

  int num_subdivisions;
  std::uint64_t bytes = 0;  ///< of the share

  int count() const { return num_turns() * in_a_row(); }

  /// Pieces that come before subdivision k is enqueued.
  int before(int k) const { return k < first ? 0 : in_a_row() * (1 + (k - first) / next); }

 private:
  /// How often the host enqueues and then multiplies.
  int num_turns() const { return num_subdivisions <= first ? 1 : 1 + (num_subdivisions - first + next - 1) / next; }

  /// Pieces of a turn.
  int in_a_row() const {
    const int by_size = static_cast<int>(std::clamp<std::uint64_t>(bytes / least_bytes, 1, most_by_size));
    return std::max(by_size / num_turns(), 1);
  }
};

}  // namespace ashlar::impl
