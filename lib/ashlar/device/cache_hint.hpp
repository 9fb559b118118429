#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace ashlar {

/// What the last cache of a device is to do with the lines that loads of an array bring, where it can be told (CUDA
/// from compute capability 8.0 on): keep a share of them, and give up the others first. All of an array that fits in
/// and is read again soon, some of one that does not, and none of one so large that it would only drive out what else
/// the cache holds. Which lines those of a share are is the device's to choose; an H200 chooses the same each time.
/// Source: PTX ISA 8.8, createpolicy.fractional.
class CacheHint {
 public:
  /// A line in so many can be told apart.
  static constexpr int parts = 16;

  CacheHint() = default;
  explicit CacheHint(bool) = delete;  // a number of lines, not whether any
  /// Keeps `kept` of 16 lines, 0 to 16.
  KOKKOS_INLINE_FUNCTION constexpr explicit CacheHint(int kept)
      : policy_(kept == parts ? normal : first | std::uint64_t(parts - 1 - kept) << 52) {}

  /// As the device's loads take it.
  KOKKOS_INLINE_FUNCTION constexpr std::uint64_t policy() const { return policy_; }

  /// Of 16 lines those that are kept.
  constexpr int kept() const { return policy_ == normal ? parts : parts - 1 - static_cast<int>(policy_ >> 52 & 15); }

 private:
  // What createpolicy.fractional makes of L2::evict_normal for all lines, and of L2::evict_first for one of 16, to
  // which the others are added in the bits from 52 on (a test holds them to it). As constants they reach a kernel with
  // its arguments, and take none of its registers.
  static constexpr std::uint64_t normal = 0x16f0000000000000, first = 0x1200000000000000;

  std::uint64_t policy_ = first | std::uint64_t(parts - 1) << 52;
};

}  // namespace ashlar
