#pragma once

#include <cstdint>

namespace ashlar {

/// Memory that something holds: matrix, plans, buffers. Where host and device are one memory, all of it is the
/// device's.
struct HeldBytes {
  std::uint64_t device = 0;
  std::uint64_t host = 0;

  friend HeldBytes operator+(const HeldBytes& a, const HeldBytes& b) { return {a.device + b.device, a.host + b.host}; }
};

}  // namespace ashlar
