#pragma once

#include "world.hpp"

namespace ashlar::app {

/// Prints backends, devices, versions, memory and measured bandwidths to standard output; where there are several ranks
/// also these, and the messages between them. Kokkos must be initialised. Collective.
void print_info(const World& world, bool as_json);

}  // namespace ashlar::app
