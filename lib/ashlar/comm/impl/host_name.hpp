#pragma once

#include <string>

namespace ashlar::impl {

/// What this machine is called; ASHLAR_HOST_NAME where that is set, so that the ranks of one machine can act as those
/// of several.
std::string host_name();

}  // namespace ashlar::impl
