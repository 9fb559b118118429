#pragma once

namespace ashlar {

/// By what it is told how long a rank has had nothing to do, as it waited for others.
enum class IdleClock {
  host,    ///< how long the host waited: a device still had work meanwhile, so that this is the most that it may be
  device,  ///< marks in the work of the device, before and after each wait of the host: some microseconds each
};

}  // namespace ashlar
