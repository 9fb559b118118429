#include "numbers.hpp"

#include <charconv>
#include <cmath>
#include <string>
#include <system_error>
#include <utility>

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

}  // namespace ashlar::app
