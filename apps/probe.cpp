#include "probe.hpp"

#include <algorithm>
#include <ashlar/base/memory.hpp>
#include <ashlar/blas1/bandwidth.hpp>

#include "types.hpp"

namespace ashlar::app {

std::int64_t probe_bytes() {
  const std::uint64_t free = available_bytes<Space>() / 4;
  return std::min<std::uint64_t>(free, bandwidth_probe_bytes<Execution>());
}

double read_bandwidth() { return measure_read_bandwidth(Execution(), probe_bytes()); }

}  // namespace ashlar::app
