#pragma once

#include <string>

namespace ashlar {

/// Which subdivisions are smaller than the others: what nothing hides, the first copy or the products with the last
/// subdivision, is then little.
enum class Taper {
  none,   ///< all have about as many blocks
  front,  ///< they grow from the first on: for products that take longer than copies
  back,   ///< they shrink towards the last: for copies that take longer than products
  both
};

/// "front": the name in options and results.
std::string to_string(Taper taper);

}  // namespace ashlar
