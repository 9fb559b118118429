#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ashlar::app {

/// Three digits: "0.0123", "1.2e+06".
std::string short_number(double number);

/// The fewest digits that name the number: "0.999999", "1e-08".
std::string exact_number(double number);

/// "1,234,567".
std::string counted(std::int64_t number);

/// count_text() with digits as counted() has them: "1,234 blocks".
std::string counted(std::int64_t number, std::string_view noun);

}  // namespace ashlar::app
