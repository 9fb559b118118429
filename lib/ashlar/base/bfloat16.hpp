#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>

namespace ashlar {

namespace impl {
/// Numbers that a double holds exactly: float, double, integers of 32 bits at most.
template <class T>
concept exact_in_double = std::is_arithmetic_v<T> && sizeof(T) <= (std::is_integral_v<T> ? 4 : 8);
}  // namespace impl

/// A number stored in 16 bits: sign, exponent and the first 8 of the 24 bits that a float's fraction has (7 of them
/// stored). The range of float, and two to three decimal digits.
///
/// For values of matrices that are read often and need not be exact, such as those of a preconditioner. It is made from
/// a number (rounded to the nearest, ties to even) and becomes one again (exactly); to reckon with, it is converted.
/// Kokkos has such a type too (bhalf_t), which is a float where the compiler has none of its own: its size is not the
/// same on host and device then.
class bfloat16 {
 public:
  bfloat16() = default;

  template <impl::exact_in_double Number>
  KOKKOS_INLINE_FUNCTION bfloat16(Number number) : bits_(rounded(to_float(number))) {}

  KOKKOS_INLINE_FUNCTION explicit operator float() const { return Kokkos::bit_cast<float>(std::uint32_t(bits_) << 16); }
  KOKKOS_INLINE_FUNCTION explicit operator double() const { return static_cast<float>(*this); }

  KOKKOS_INLINE_FUNCTION static bfloat16 from_bits(std::uint16_t bits) {
    bfloat16 result;
    result.bits_ = bits;
    return result;
  }
  KOKKOS_INLINE_FUNCTION std::uint16_t bits() const { return bits_; }

 private:
  static constexpr std::uint32_t magnitude = 0x7fffffff, infinity = 0x7f800000, quiet = 0x00400000;

  /// A float that rounds as `number` does. What a double has beyond a float's bits counts only in that it is not zero:
  /// it sets the last bit, so that rounding twice is not another number than rounding once.
  template <class Number>
  KOKKOS_INLINE_FUNCTION static float to_float(Number number) {
    const float nearest = static_cast<float>(number);
    if constexpr (std::is_same_v<Number, float>) return nearest;
    const double exact = static_cast<double>(number), error = exact - static_cast<double>(nearest);
    const auto bits = Kokkos::bit_cast<std::uint32_t>(nearest);
    // (Not a number and infinite ones have an error that is no number.)
    if (!(error > 0 || error < 0) || (bits & magnitude) >= infinity || (bits & 1) != 0) return nearest;
    const bool is_too_small = (error > 0) == (exact > 0);
    return Kokkos::bit_cast<float>(is_too_small ? bits + 1 : bits - 1);
  }

  KOKKOS_INLINE_FUNCTION static std::uint16_t rounded(float number) {
    const auto bits = Kokkos::bit_cast<std::uint32_t>(number);
    if ((bits & magnitude) > infinity) return static_cast<std::uint16_t>((bits | quiet) >> 16);
    return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
  }

  std::uint16_t bits_;
};

static_assert(sizeof(bfloat16) == 2 && std::is_trivially_copyable_v<bfloat16>);

KOKKOS_INLINE_FUNCTION bool is_finite(const bfloat16& a) { return (a.bits() & 0x7f80) != 0x7f80; }

KOKKOS_INLINE_FUNCTION bool operator==(const bfloat16& a, const bfloat16& b) {
  return static_cast<float>(a) == static_cast<float>(b);
}

}  // namespace ashlar
