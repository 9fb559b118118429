#pragma once

#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>

namespace ashlar::problems::impl {

/// The product of numbers none of which is negative.
///
/// Throws   ArgumentError, whose message begins with `what`, where it does not fit into 64 bits.
inline std::int64_t checked_product(const std::string& what, std::initializer_list<std::int64_t> factors) {
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  std::int64_t product = 1;
  bool fits = true;
  for (const std::int64_t factor : factors) {
    fits = fits && (factor == 0 || product <= largest / factor);
    if (fits) product *= factor;
  }
  if (!fits) throw ArgumentError(what, text("a count would pass ", largest), "use fewer points a side");
  return product;
}

}  // namespace ashlar::problems::impl
