#include "option_values.hpp"

#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/krylov/stopping.hpp>
#include <ashlar/spmv/block_sizes.hpp>
#include <limits>
#include <optional>
#include <vector>

#include "numbers.hpp"

namespace ashlar::app {

namespace {

std::string quoted(const std::string& option, const std::string& value) { return text(option, " '", value, "'"); }

/// Within what an int counts.
std::optional<int> parse_int(std::string_view word) {
  const auto number = parse_whole_number(word);
  using Limits = std::numeric_limits<int>;
  if (!number || *number < Limits::min() || *number > Limits::max()) return std::nullopt;
  return static_cast<int>(*number);
}

}  // namespace

double number_of(const std::string& option, const std::string& value) {
  if (const auto number = parse_number(value)) return *number;
  throw ArgumentError(quoted(option, value), "it is a number, with a point before its fraction",
                      "pass something like 0.015 or 1.5e-2");
}

int whole_number_of(const std::string& option, const std::string& value) {
  if (const auto number = parse_int(value)) return *number;
  throw ArgumentError(quoted(option, value), text("it is a whole number, at most ", std::numeric_limits<int>::max()),
                      "pass something like 500 or 1e4");
}

int stagnation_window_of(const std::string& option, const std::string& value) {
  if (value == "off") return no_stagnation_window;
  const auto number = parse_int(value);
  if (number && *number >= 1) return *number;
  throw ArgumentError(quoted(option, value), "it counts iterations, or is off", "pass a positive number, or off");
}

std::uint64_t bytes_of(const std::string& option, const std::string& value) {
  if (const auto bytes = parse_bytes(value)) return *bytes;
  throw ArgumentError(quoted(option, value), "it is a number of bytes", "pass something like 500000000, 512M or 8GiB");
}

std::array<int, 3> nodes_of(const std::string& option, const std::string& value) {
  std::vector<int> sides;
  for (std::size_t begin = 0; begin <= value.size();) {
    const std::size_t end = std::min(value.find(',', begin), value.size());
    const auto side = parse_int(std::string_view(value).substr(begin, end - begin));
    if (!side || *side < 2) {
      throw ArgumentError(quoted(option, value), "each side has a whole number of nodes, at least 2",
                          "pass one number for a cube, or three like 81,21,21");
    }
    sides.push_back(*side);
    begin = end + 1;
  }
  if (sides.size() == 1) return {sides[0], sides[0], sides[0]};
  if (sides.size() == 3) return {sides[0], sides[1], sides[2]};
  throw ArgumentError(quoted(option, value), text(sides.size(), " numbers where one or three belong"),
                      "pass one number for a cube, or three like 81,21,21");
}

int block_size_of(const std::string& option, const std::string& value) {
  if (value == "auto") return 0;
  const auto size = parse_int(value);
  if (size && *size >= 1 && *size <= max_block_size) return *size;
  throw ArgumentError(quoted(option, value), text("a block has 1 to ", max_block_size, " rows"),
                      "pass such a number, or auto");
}

}  // namespace ashlar::app
