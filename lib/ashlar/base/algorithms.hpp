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

/// True if the memory that two views span overlaps. The gaps between the entries of strided views count.
template <class A, class B>
bool overlap(const A& a, const B& b) {
  if (a.size() == 0 || b.size() == 0) return false;
  const auto begin = [](const auto& view) { return reinterpret_cast<std::uintptr_t>(view.data()); };
  const auto end = [](const auto& view) { return reinterpret_cast<std::uintptr_t>(view.data() + view.span()); };
  return begin(a) < end(b) && begin(b) < end(a);
}

/// Number i of a fixed sequence of pseudo-random numbers between -0.5 and 0.5: the same in each run and in each memory
/// space, whatever the order in which threads compute them.
KOKKOS_INLINE_FUNCTION double pseudo_random(std::uint64_t i) {
  std::uint64_t bits = i * 0x9e3779b97f4a7c15;
  bits = (bits ^ (bits >> 29)) * 0xbf58476d1ce4e5b9;
  return static_cast<double>(bits >> 11) / static_cast<double>(std::uint64_t(1) << 53) - 0.5;
}

}  // namespace ashlar
