#pragma once

#include <ashlar/base/text.hpp>
#include <string>

namespace ashlar::perf {

/// "32^3", of 32 cells in each direction.
inline std::string box_name(int box_dim) { return text(box_dim, "^3"); }

}  // namespace ashlar::perf
