#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string>
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
/// For values of matrices that are read often and need not be exact, for example in a preconditioner. It is made from a
/// number (rounded to the nearest, ties to even) and becomes one again (exactly); arithmetic converts it. Kokkos has
/// such a type too (bhalf_t), which is a float if the compiler has no such type: then its size differs between host and
/// device.
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

  /// A float that rounds as `number` does. The bits that a float lacks only count as zero or not zero: they set the
  /// last bit, so that rounding twice gives the same number as rounding once.
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

namespace impl {
template <class T>
struct RealOf {
  using type = T;
};
template <class T>
struct RealOf<Kokkos::complex<T>> {
  using type = T;
};
}  // namespace impl

/// The real type of a scalar: double for double and for Kokkos::complex<double>.
template <class T>
using real_t = typename impl::RealOf<std::remove_cv_t<T>>::type;

template <class T>
inline constexpr bool is_complex_v = !std::is_same_v<real_t<T>, std::remove_cv_t<T>>;

/// The types that matrices and vectors are made of: float, double, and their Kokkos::complex.
template <class T>
concept scalar = std::is_floating_point_v<real_t<T>>;

/// The types of a matrix's values: scalars, or bfloat16, which saves memory and is multiplied in double.
template <class T>
concept matrix_value = scalar<T> || std::is_same_v<T, bfloat16>;

/// The most precise scalar of vectors that a matrix of such values multiplies: double for real values of less than its
/// precision, else what the values are.
template <matrix_value T>
using vector_scalar_t = std::conditional_t<std::is_same_v<T, float> || std::is_same_v<T, bfloat16>, double, T>;

template <scalar T>
KOKKOS_INLINE_FUNCTION T conj(const T& a) {
  if constexpr (is_complex_v<T>) {
    return Kokkos::conj(a);
  } else {
    return a;
  }
}

template <scalar T>
KOKKOS_INLINE_FUNCTION real_t<T> real(const T& a) {
  if constexpr (is_complex_v<T>) {
    return a.real();
  } else {
    return a;
  }
}

/// The imaginary part; 0 for a real number.
template <scalar T>
KOKKOS_INLINE_FUNCTION real_t<T> imag(const T& a) {
  if constexpr (is_complex_v<T>) {
    return a.imag();
  } else {
    return real_t<T>(0);
  }
}

/// |a|^2, without the square root that |a| takes.
template <scalar T>
KOKKOS_INLINE_FUNCTION real_t<T> abs_squared(const T& a) {
  if constexpr (is_complex_v<T>) {
    return a.real() * a.real() + a.imag() * a.imag();
  } else {
    return a * a;
  }
}

/// True if a is neither NaN nor infinite, tested by its bits: with -ffast-math compilers take isfinite(a) for true.
template <scalar T>
KOKKOS_INLINE_FUNCTION bool is_finite(const T& a) {
  if constexpr (is_complex_v<T>) {
    return is_finite(a.real()) && is_finite(a.imag());
  } else if constexpr (sizeof(T) == sizeof(std::uint64_t)) {
    constexpr std::uint64_t exponent = 0x7ff0000000000000u;
    return (Kokkos::bit_cast<std::uint64_t>(a) & exponent) != exponent;
  } else if constexpr (sizeof(T) == sizeof(std::uint32_t)) {
    constexpr std::uint32_t exponent = 0x7f800000u;
    return (Kokkos::bit_cast<std::uint32_t>(a) & exponent) != exponent;
  } else {
    return Kokkos::isfinite(a);
  }
}

/// "double", "complex<float>", "bfloat16": for labels and messages.
template <matrix_value T>
std::string scalar_name() {
  if constexpr (std::is_same_v<T, bfloat16>) return "bfloat16";
  const std::string real = std::is_same_v<real_t<T>, float>    ? "float"
                           : std::is_same_v<real_t<T>, double> ? "double"
                                                               : "real" + std::to_string(8 * sizeof(real_t<T>));
  return is_complex_v<T> ? "complex<" + real + ">" : real;
}

/// The real part of conj(a)*b, in double: a summand of dot products that solvers need.
template <scalar Scalar>
KOKKOS_INLINE_FUNCTION double real_product(const Scalar& a, const Scalar& b) {
  if constexpr (is_complex_v<Scalar>) {
    return double(a.real()) * double(b.real()) + double(a.imag()) * double(b.imag());
  } else {
    return double(a) * double(b);
  }
}

}  // namespace ashlar
