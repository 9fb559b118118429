#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/scalar.hpp>
#include <type_traits>

namespace ashlar::impl {

/// conj(a)*b, or its real part where Sum is real; computed in the precision of Sum.
template <class Sum, class Scalar>
KOKKOS_INLINE_FUNCTION Sum conj_product(const Scalar& a, const Scalar& b) {
  if constexpr (std::is_same_v<Sum, Scalar>) {
    return conj(a) * b;
  } else {
    return Sum(real(a)) * Sum(real(b)) + Sum(imag(a)) * Sum(imag(b));
  }
}

}  // namespace ashlar::impl
