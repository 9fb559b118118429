#pragma once

#include <array>
#include <cstdint>
#include <string>

/// Strict parsers of option values. Each throws an ArgumentError that names the option and the value found.
namespace ashlar::app {

double number_of(const std::string& option, const std::string& value);

/// One that an int holds.
int whole_number_of(const std::string& option, const std::string& value);

/// A number of iterations, at least 1, or "off".
int stagnation_window_of(const std::string& option, const std::string& value);

/// "1000000", "8GiB", "1.5 GB".
std::uint64_t bytes_of(const std::string& option, const std::string& value);

/// "33" or "81,21,21".
std::array<int, 3> nodes_of(const std::string& option, const std::string& value);

/// "auto" (0) or the number of rows of a block.
int block_size_of(const std::string& option, const std::string& value);

}  // namespace ashlar::app
