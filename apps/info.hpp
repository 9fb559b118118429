#pragma once

namespace ashlar::app {

/// Prints backends, devices, versions, memory and measured bandwidths to standard output. Kokkos must be initialised.
void print_info(bool as_json);

}  // namespace ashlar::app
