#pragma once

#include <ashlar/comm/communicator.hpp>
#include <string>
#include <utility>
#include <vector>

namespace ashlar::impl {

/// What a rank was given, by name: {"block size", "3"}.
using Claims = std::vector<std::pair<std::string, std::string>>;

/// Collective. All ranks name the same things.
///
/// Throws   ArgumentError on all ranks, where two of them were given different things; names the first.
void require_same(const Communicator& comm, const std::string& who, const Claims& mine);

}  // namespace ashlar::impl
