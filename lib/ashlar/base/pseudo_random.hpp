#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace ashlar {

/// Number i of a fixed sequence of pseudo-random numbers between -0.5 and 0.5: the same in each run and in each memory
/// space, whatever the order in which threads compute them.
KOKKOS_INLINE_FUNCTION double pseudo_random(std::uint64_t i) {
  std::uint64_t bits = i * 0x9e3779b97f4a7c15;
  bits = (bits ^ (bits >> 29)) * 0xbf58476d1ce4e5b9;
  return static_cast<double>(bits >> 11) / static_cast<double>(std::uint64_t(1) << 53) - 0.5;
}

}  // namespace ashlar
