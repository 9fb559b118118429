#pragma once

#include <cstdint>

namespace ashlar {

/// What goes to, or comes from, one rank: bytes [begin, begin + count) of a buffer.
struct NeighbourMessage {
  int rank = 0;
  std::int64_t begin = 0, count = 0;
};

}  // namespace ashlar
