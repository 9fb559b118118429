#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace ashlar {

/// What the last cache of a device is to do with the lines that a load brings, where it can be told (CUDA from compute
/// capability 8.0 on): keep them like all others, for an array that fits in and is read again soon; or give them up
/// first, and keep what else it holds, for one that would not be there any more the next time.
/// Source: PTX ISA 8.8, createpolicy.
class CacheHint {
 public:
  CacheHint() = default;
  KOKKOS_INLINE_FUNCTION constexpr explicit CacheHint(bool keep) : policy_(keep ? normal : first) {}

  /// As the device's loads take it.
  KOKKOS_INLINE_FUNCTION constexpr std::uint64_t policy() const { return policy_; }

 private:
  // What createpolicy.fractional makes of L2::evict_normal and L2::evict_first (a test holds them to it). As constants
  // they reach a kernel with its arguments, and take none of its registers.
  static constexpr std::uint64_t normal = 0x16f0000000000000, first = 0x12f0000000000000;

  std::uint64_t policy_ = first;
};

}  // namespace ashlar
