#include "option_values.hpp"

#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/spmv/block_sizes.hpp>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace ashlar::app {

namespace {

std::optional<int> whole_number(std::string_view word) {
  int number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return number;
}

}  // namespace

std::array<int, 3> parse_nodes(const std::string& value) {
  std::vector<int> sides;
  for (std::size_t begin = 0; begin <= value.size();) {
    const std::size_t end = std::min(value.find(',', begin), value.size());
    const auto side = whole_number(std::string_view(value).substr(begin, end - begin));
    if (!side || *side < 2) {
      throw ArgumentError(text("--nodes '", value, "'"), "each side has a whole number of nodes, at least 2",
                          "pass one number for a cube, or three like 81,21,21");
    }
    sides.push_back(*side);
    begin = end + 1;
  }
  if (sides.size() == 1) return {sides[0], sides[0], sides[0]};
  if (sides.size() == 3) return {sides[0], sides[1], sides[2]};
  throw ArgumentError(text("--nodes '", value, "'"), text(sides.size(), " numbers where one or three belong"),
                      "pass one number for a cube, or three like 81,21,21");
}

int parse_block_size(const std::string& value) {
  if (value == "auto") return 0;
  const auto size = whole_number(value);
  if (size && *size >= 1 && *size <= max_block_size) return *size;
  throw ArgumentError(text("--block-size '", value, "'"), text("a block has 1 to ", max_block_size, " rows"),
                      "pass such a number, or auto");
}

std::uint64_t parse_bytes(const std::string& value) {
  static constexpr std::pair<std::string_view, double> units[] = {
      {"", 1},         {"b", 1},    {"kb", 1e3},     {"kib", 0x1p10}, {"mb", 1e6},
      {"mib", 0x1p20}, {"gb", 1e9}, {"gib", 0x1p30}, {"tb", 1e12},    {"tib", 0x1p40},
  };
  const auto fail = [&] {
    return ArgumentError(text("--device-memory-limit '", value, "'"), "it is a number of bytes",
                         "pass something like 500000000 or 8GiB");
  };
  if (value.empty() || !(std::isdigit(static_cast<unsigned char>(value[0])) || value[0] == '.')) throw fail();
  char* end = nullptr;
  const double number = std::strtod(value.c_str(), &end);
  std::string unit;
  for (; *end != '\0'; ++end) {
    if (*end != ' ') unit += static_cast<char>(std::tolower(static_cast<unsigned char>(*end)));
  }
  for (const auto& [name, factor] : units) {
    if (unit != name) continue;
    const double bytes = number * factor;
    if (!(bytes < 0x1p63)) throw fail();
    return static_cast<std::uint64_t>(bytes);
  }
  throw fail();
}

}  // namespace ashlar::app
