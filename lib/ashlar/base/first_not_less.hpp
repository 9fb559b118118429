#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace ashlar {

/// The first place from `begin` to before `end` of a list that ascends whose number is not less than `wanted`, or
/// `end`: by bisection, on the host or in a kernel.
template <class List>
KOKKOS_INLINE_FUNCTION std::int64_t first_not_less(const List& ascending, std::int64_t begin, std::int64_t end,
                                                   std::int64_t wanted) {
  std::int64_t low = begin, high = end;
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (static_cast<std::int64_t>(ascending(middle)) < wanted) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace ashlar
