#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/bfloat16.hpp>
#include <cstdint>
#include <string>
#include <type_traits>

namespace ashlar {

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

/// What the values of a matrix may be: scalars, or bfloat16, which saves memory and is multiplied in double.
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

/// Whether a is neither NaN nor infinite, tested by its bits: with -ffast-math compilers take isfinite(a) for true.
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

}  // namespace ashlar
