#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace ashlar::app {

/// "33" or "81,21,21". Throws ArgumentError that says what was found.
std::array<int, 3> parse_nodes(const std::string& value);

/// "auto" (0) or the number of rows of a block. Throws ArgumentError.
int parse_block_size(const std::string& value);

/// "1000000", "8GiB", "1.5 GB". Throws ArgumentError.
std::uint64_t parse_bytes(const std::string& value);

}  // namespace ashlar::app
