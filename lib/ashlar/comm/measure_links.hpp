#pragma once

#include <ashlar/comm/communicator.hpp>
#include <cstddef>
#include <vector>

namespace ashlar {

/// Seconds of a message of `bytes`, one way: half of a round trip, the best of several. Both ranks call it, and one
/// begins: only its time is exact, since the other also waits. Uses tag 7.
double ping_pong_seconds(const Communicator& comm, int other, bool begins, const void* to, void* from,
                         std::size_t bytes, int repetitions);

/// The link from one rank to another.
struct RankLink {
  double latency_us = 0;  ///< of a message of 8 bytes
  double gb_s = 0;        ///< of a message of 4 MiB
};

/// Measures messages between each two ranks, one pair at a time: entry [a * ranks + b] is half a round trip between a
/// and b. The same on all ranks; entries of a rank with itself are zero. Collective.
std::vector<RankLink> measure_links(const Communicator& comm);

}  // namespace ashlar
