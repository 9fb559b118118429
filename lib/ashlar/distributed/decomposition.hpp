#pragma once

#include <string_view>

namespace ashlar {

/// How a rank multiplies what is not its own.
enum class Decomposition {
  one_d,  ///< when all of the halo has come, at once
  two_d,  ///< cut by the rank that it comes from, each piece when it has come
};

/// "1d", "2d"
std::string_view to_string(Decomposition decomposition);

}  // namespace ashlar
