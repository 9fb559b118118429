#pragma once

#include <cstdint>

namespace ashlar {

/// Messages of one direction.
struct HaloCount {
  std::int64_t messages = 0, bytes = 0;

  void add(std::int64_t bytes_of_one) {
    ++messages;
    bytes += bytes_of_one;
  }
};

/// What a HaloExchange has done so far, on this rank.
struct HaloFigures {
  std::int64_t exchanges = 0;
  HaloCount sent, received;
  /// Whether they went through pinned memory of the host, and not from and to the memory that halo() is in.
  bool is_staged = false;
  /// How long the host has waited for messages.
  double waited_seconds = 0;
};

}  // namespace ashlar
