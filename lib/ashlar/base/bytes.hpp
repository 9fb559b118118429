#pragma once

#include <cstdint>
#include <limits>

namespace ashlar {

/// A number of bytes, or of things that take some, which stays at the largest number instead of starting again at zero:
/// what something would take that nobody could hold.
struct ByteCount {
  std::uint64_t count = 0;

  friend ByteCount operator+(ByteCount a, ByteCount b) {
    return {a.count > largest - b.count ? largest : a.count + b.count};
  }
  friend ByteCount operator*(ByteCount a, ByteCount b) {
    return {b.count != 0 && a.count > largest / b.count ? largest : a.count * b.count};
  }
  static constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
};

/// Memory that something holds: matrix, plans, buffers. Where host and device are one memory, all of it is the
/// device's.
struct HeldBytes {
  std::uint64_t device = 0;
  std::uint64_t host = 0;

  friend HeldBytes operator+(const HeldBytes& a, const HeldBytes& b) { return {a.device + b.device, a.host + b.host}; }
};

}  // namespace ashlar
