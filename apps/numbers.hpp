#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// The numbers of the command line. Decimal digits with a sign, a point and an exponent, whatever the locale; a word
/// that is anything else, or more than that (blanks, "1,5", "0x10", "nan", "true"), is no number.
namespace ashlar::app {

std::optional<double> parse_number(std::string_view word);

/// One without a fraction, however it is written: "12", "010" (ten), "1e4".
std::optional<std::int64_t> parse_whole_number(std::string_view word);

/// A number of bytes, with a unit where one is given: "500000000", "8G" and "8GiB" (of 2^30 bytes), "1.5 GB" (of 10^9).
std::optional<std::uint64_t> parse_bytes(std::string_view word);

/// Three digits: "0.0123", "1.2e+06".
std::string short_number(double number);

/// The fewest digits that name the number: "0.999999", "1e-08".
std::string exact_number(double number);

/// "1,234,567".
std::string counted(std::int64_t number);

/// count_text() with digits as counted() has them: "1,234 blocks".
std::string counted(std::int64_t number, std::string_view noun);

}  // namespace ashlar::app
