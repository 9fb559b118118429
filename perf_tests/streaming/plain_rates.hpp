#pragma once

#include <streaming/case.hpp>
#include <support/types.hpp>

namespace ashlar::perf {

/// What host and link carry of a matrix in pinned memory when nobody multiplies, in 1e9 bytes a second: the host's
/// threads read one half of it, and copies to the device the other. What both carry side by side is the floor under
/// products of which the host makes a share.
struct PlainRates {
  double host = 0, link = 0;                ///< each alone
  double host_beside = 0, link_beside = 0;  ///< both at the same time

  double together() const { return host_beside + link_beside; }
};

/// Medians. Takes a buffer of 128 MiB on the device.
PlainRates measure_plain_rates(const Exec& copy_exec, const HostMatrix& matrix);

}  // namespace ashlar::perf
