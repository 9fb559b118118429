#pragma once

#include <cstdint>

namespace ashlar {

/// Whether the memory that two views span has a byte in common: what lies between the entries of strided views counts.
template <class A, class B>
bool overlap(const A& a, const B& b) {
  if (a.size() == 0 || b.size() == 0) return false;
  const auto begin = [](const auto& view) { return reinterpret_cast<std::uintptr_t>(view.data()); };
  const auto end = [](const auto& view) { return reinterpret_cast<std::uintptr_t>(view.data() + view.span()); };
  return begin(a) < end(b) && begin(b) < end(a);
}

}  // namespace ashlar
