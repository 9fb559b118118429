#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ashlar::app {

/// Three digits: "0.0123", "1.2e+06".
std::string short_number(double number);

/// "1,234,567".
std::string counted(std::int64_t number);

/// So many of what `noun` names: "1 rank", "1234 block rows", "2 boxes", "0 entries".
std::string count_text(std::int64_t number, std::string_view noun);

/// The same with digits as counted() has them.
std::string counted(std::int64_t number, std::string_view noun);

}  // namespace ashlar::app
