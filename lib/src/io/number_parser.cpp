#include "number_parser.hpp"

#include <algorithm>

namespace ashlar::io {

bool is_below_one(std::string_view number) {
  const auto exponent_mark = std::min(number.find_first_of("eE"), number.size());
  const std::string_view digits = number.substr(0, exponent_mark);
  const auto point = std::min(digits.find('.'), digits.size());
  const auto leading = digits.find_first_of("123456789");
  if (leading == std::string_view::npos) return true;
  // Digits before the point, counted from the leading one; not positive where the leading one follows the point.
  const auto magnitude = leading < point ? static_cast<std::int64_t>(point - leading)
                                         : static_cast<std::int64_t>(point + 1) - static_cast<std::int64_t>(leading);

  if (exponent_mark == number.size()) return magnitude <= 0;
  std::string_view exponent = number.substr(exponent_mark + 1);
  if (!exponent.empty() && exponent.front() == '+') exponent.remove_prefix(1);
  std::int64_t value = 0;
  const auto [stop, error] = std::from_chars(exponent.data(), exponent.data() + exponent.size(), value);
  if (error == std::errc::result_out_of_range) return exponent.front() == '-';
  return value <= -magnitude;
}

}  // namespace ashlar::io
