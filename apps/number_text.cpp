#include "number_text.hpp"

#include <array>
#include <cstdio>

namespace ashlar::app {

namespace {

/// What so many of them are called.
std::string noun_for(std::int64_t number, std::string_view noun) {
  if (number == 1) return std::string(noun);
  if (noun.ends_with('y')) return std::string(noun.substr(0, noun.size() - 1)) + "ies";
  return std::string(noun) + (noun.ends_with('x') ? "es" : "s");
}

}  // namespace

std::string short_number(double number) {
  std::array<char, 32> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.3g", number);
  return buffer.data();
}

std::string counted(std::int64_t number) {
  std::string digits = std::to_string(number);
  for (int at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3) digits.insert(static_cast<std::size_t>(at), ",");
  return digits;
}

std::string count_text(std::int64_t number, std::string_view noun) {
  return std::to_string(number) + ' ' + noun_for(number, noun);
}

std::string counted(std::int64_t number, std::string_view noun) {
  return counted(number) + ' ' + noun_for(number, noun);
}

}  // namespace ashlar::app
