#pragma once

namespace ashlar::impl {

/// In how many pieces the host multiplies its share, and when: between two it goes on enqueuing.
///
/// A device's queue has room for so much (that of CUDA for more than 1000 subdivisions), and who enqueues more waits
/// until it has; the host multiplies instead. A part of the queue is left, so that the device has work in the meantime.
struct HostPieces {
  static constexpr int first = 512;  ///< subdivisions that are enqueued before the first piece
  static constexpr int next = 256;   ///< and before each of the others

  int num_subdivisions;

  int count() const { return num_subdivisions <= first ? 1 : 1 + (num_subdivisions - first + next - 1) / next; }

  /// Pieces that come before subdivision k is enqueued.
  int before(int k) const { return k < first ? 0 : 1 + (k - first) / next; }
};

}  // namespace ashlar::impl
