#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/scalar.hpp>

namespace ashlar {

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
