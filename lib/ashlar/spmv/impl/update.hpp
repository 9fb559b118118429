#pragma once

#include <Kokkos_Core.hpp>

namespace ashlar::impl {

/// y := alpha*sum + beta*y for one entry; with beta 0, what y held does not matter, NaN included.
template <class Scalar>
KOKKOS_INLINE_FUNCTION void update(Scalar& y, const Scalar& alpha, const Scalar& sum, const Scalar& beta) {
  y = beta == Scalar(0) ? alpha * sum : alpha * sum + beta * y;
}

}  // namespace ashlar::impl
