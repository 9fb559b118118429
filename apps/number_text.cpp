#include "number_text.hpp"

#include <array>
#include <ashlar/base/text.hpp>
#include <charconv>
#include <cmath>
#include <iomanip>

namespace ashlar::app {

std::string short_number(double number) {
  if (std::isnan(number)) return "nan";  // (of no sign)
  return text(std::setprecision(3), number);
}

std::string exact_number(double number) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number + 0.0).ptr;  // no -0
  return {digits.data(), end};
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
