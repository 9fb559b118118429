#pragma once

#include <ashlar/comm/communicator.hpp>
#include <vector>

namespace ashlar::app {

/// A message from one rank to another.
struct RankLink {
  double latency_us = 0;  ///< of 8 bytes
  double gb_s = 0;        ///< of 4 MiB
};

/// Measures the messages between each two ranks, one pair at a time: entry [a * ranks + b] is of a to b and back,
/// halved. The same on all ranks; nothing of a rank to itself. Collective.
std::vector<RankLink> measure_rank_links(const Communicator& comm);

}  // namespace ashlar::app
