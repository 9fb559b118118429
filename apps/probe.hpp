#pragma once

#include <cstdint>

namespace ashlar::app {

/// Bytes for measuring the device's bandwidth: what the library suggests, within a quarter of what is free.
std::int64_t probe_bytes();

/// measure_read_bandwidth of the device, in 1e9 bytes a second.
double read_bandwidth();

}  // namespace ashlar::app
