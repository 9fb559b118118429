#include "number_text.hpp"

#include <array>
#include <ashlar/base/count_text.hpp>
#include <cmath>
#include <cstdio>

namespace ashlar::app {

std::string short_number(double number) {
  if (std::isnan(number)) return "nan";  // (of no sign)
  std::array<char, 32> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.3g", number);
  return buffer.data();
}

std::string counted(std::int64_t number) {
  std::string digits = std::to_string(number);
  for (int at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3) digits.insert(static_cast<std::size_t>(at), ",");
  return digits;
}

std::string counted(std::int64_t number, std::string_view noun) {
  return counted(number) + ' ' + noun_for(number, noun);
}

}  // namespace ashlar::app
