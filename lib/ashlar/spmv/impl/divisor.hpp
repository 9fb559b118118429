#pragma once

#include <Kokkos_Core.hpp>
#include <bit>
#include <cstdint>

namespace ashlar::impl {

/// Division of numbers from 0 to 2^31 - 1 by one that is known at run time only, as a product and a shift: a GPU takes
/// some twenty instructions for a division.
///
/// Source   Granlund & Montgomery 1994.
class Divisor {
 public:
  Divisor() = default;
  /// 1 <= divisor < 2^31
  explicit Divisor(int divisor) {
    shift_ = 31 + static_cast<int>(std::bit_width(unsigned(divisor - 1)));
    factor_ = (std::uint64_t(1) << shift_) / std::uint64_t(divisor) + 1;
  }

  KOKKOS_INLINE_FUNCTION friend int operator/(int number, const Divisor& by) {
    return static_cast<int>((std::uint64_t(std::uint32_t(number)) * std::uint32_t(by.factor_)) >> by.shift_);
  }

 private:
  std::uint64_t factor_ = 0;
  int shift_ = 0;
};

/// number / by, both not negative. In most cases there is little to divide, and a division of 64-bit numbers takes a
/// GPU a hundred instructions.
KOKKOS_INLINE_FUNCTION std::int64_t quotient(std::int64_t number, std::int64_t by) {
  if (by == 1) return number;
  if ((number | by) >> 32 == 0) return std::uint32_t(number) / std::uint32_t(by);
  return number / by;
}

}  // namespace ashlar::impl
