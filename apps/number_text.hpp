#pragma once

#include <cstdint>
#include <string>

namespace ashlar::app {

/// Three digits: "0.0123", "1.2e+06".
std::string short_number(double number);

/// "1,234,567".
std::string counted(std::int64_t number);

}  // namespace ashlar::app
