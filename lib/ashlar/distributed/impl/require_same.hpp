#pragma once

#include <ashlar/comm/communicator.hpp>
#include <string>
#include <utility>
#include <vector>

namespace ashlar::impl {

/// Values passed to a rank, by name: {"block size", "3"}.
using Claims = std::vector<std::pair<std::string, std::string>>;

/// Collective. All ranks claim values for the same names.
///
/// Throws   ArgumentError on all ranks, if two of them claim different values; names the first such value.
void require_same(const Communicator& comm, const std::string& who, const Claims& mine);

}  // namespace ashlar::impl
