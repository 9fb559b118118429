#pragma once

#include "world.hpp"

namespace ashlar::app {

/// Which ranks of a host compute there, and which on devices.
struct RankRoles {
  bool on_host = false;  ///< this rank
  int device_ranks = 1, host_ranks = 0;
};

/// The last `ranks_on_host` of each host are to compute on it. Collective.
///
/// Throws   ArgumentError where that leaves no rank of a host for its device, on all ranks together.
RankRoles roles_of(const World& world, int ranks_on_host);

}  // namespace ashlar::app
