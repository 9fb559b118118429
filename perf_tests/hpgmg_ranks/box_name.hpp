#pragma once

#include <ashlar/base/text.hpp>
#include <bit>
#include <string>

namespace ashlar::perf {

/// "2^5" of 32 cells in each direction, "160" of 160.
inline std::string box_name(int box_dim) {
  const auto number = static_cast<unsigned>(box_dim);
  return std::has_single_bit(number) ? text("2^", std::countr_zero(number)) : text(box_dim);
}

}  // namespace ashlar::perf
