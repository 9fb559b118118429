#pragma once

#include <ashlar/comm/communicator.hpp>
#include <cstddef>
#include <vector>

namespace ashlar {

/// Seconds of a message of so many bytes, one way: half of there and back, the best of some. Both ranks call it, and
/// one of them begins: its time counts, that of the other has some waiting besides. Tag 7.
double ping_pong_seconds(const Communicator& comm, int other, bool begins, const void* to, void* from,
                         std::size_t bytes, int repetitions);

/// A message from one rank to another.
struct RankLink {
  double latency_us = 0;  ///< of 8 bytes
  double gb_s = 0;        ///< of 4 MiB
};

/// Measures the messages between each two ranks, one pair at a time: entry [a * ranks + b] is of a to b and back,
/// halved. The same on all ranks; nothing of a rank to itself. Collective.
std::vector<RankLink> measure_links(const Communicator& comm);

}  // namespace ashlar
