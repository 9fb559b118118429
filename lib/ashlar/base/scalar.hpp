#pragma once

#include <Kokkos_Core.hpp>

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

template <scalar T>
KOKKOS_INLINE_FUNCTION bool is_finite(const T& a) {
  if constexpr (is_complex_v<T>) {
    return Kokkos::isfinite(a.real()) && Kokkos::isfinite(a.imag());
  } else {
    return Kokkos::isfinite(a);
  }
}

/// "double", "complex<float>": for labels and messages.
template <scalar T>
std::string scalar_name() {
  const std::string real = std::is_same_v<real_t<T>, float>    ? "float"
                           : std::is_same_v<real_t<T>, double> ? "double"
                                                               : "real" + std::to_string(8 * sizeof(real_t<T>));
  return is_complex_v<T> ? "complex<" + real + ">" : real;
}

}  // namespace ashlar
