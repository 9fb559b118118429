#include <array>
#include <ashlar/base/text.hpp>
#include <charconv>
#include <cmath>
#include <iomanip>
#include <string>
#include <system_error>
#include <utility>

#include "numbers.hpp"

namespace ashlar::app {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// std::from_chars takes "inf" and "nan" too, but no plus.
std::string_view digits_of(std::string_view word) {
  const std::string_view unsigned_part = word.substr(!word.empty() && (word[0] == '-' || word[0] == '+'));
  if (unsigned_part.empty() || !(is_digit(unsigned_part[0]) || unsigned_part[0] == '.')) return {};
  return word[0] == '+' ? unsigned_part : word;
}

/// The number that is all of the word.
template <class Number>
std::optional<Number> whole_word(std::string_view word) {
  const std::string_view digits = digits_of(word);
  Number number{};
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (digits.empty() || error != std::errc() || stop != digits.data() + digits.size()) return std::nullopt;
  return number;
}

}  // namespace

std::optional<double> parse_number(std::string_view word) { return whole_word<double>(word); }

std::optional<std::int64_t> parse_whole_number(std::string_view word) {
  if (const auto number = whole_word<std::int64_t>(word)) return number;
  // Up to here a double tells one whole number from the next.
  constexpr double largest = 0x1p53;
  const auto number = parse_number(word);
  if (!number || std::abs(*number) > largest || *number != std::trunc(*number)) return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

std::optional<std::uint64_t> parse_bytes(std::string_view word) {
  static constexpr std::pair<std::string_view, double> units[] = {
      {"", 1},     {"b", 1},      {"k", 0x1p10},   {"kib", 0x1p10}, {"kb", 1e3},   {"m", 0x1p20},   {"mib", 0x1p20},
      {"mb", 1e6}, {"g", 0x1p30}, {"gib", 0x1p30}, {"gb", 1e9},     {"t", 0x1p40}, {"tib", 0x1p40}, {"tb", 1e12},
  };
  std::size_t end = word.size();
  while (end > 0 && !is_digit(word[end - 1]) && word[end - 1] != '.' && word[end - 1] != ' ') --end;
  std::string unit;
  for (const char c : word.substr(end)) unit += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  while (end > 0 && word[end - 1] == ' ') --end;
  const auto number = parse_number(word.substr(0, end));
  for (const auto& [name, factor] : units) {
    if (unit != name || !number) continue;
    const double bytes = *number * factor;
    if (!(bytes >= 0 && bytes < 0x1p63)) return std::nullopt;
    return static_cast<std::uint64_t>(bytes);
  }
  return std::nullopt;
}

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
