#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace ashlar::impl {

/// y := beta*y, zeros where beta is 0: what is left of a product with alpha 0, which reads neither A nor x.
template <class Exec, class Scalar, class Y>
void scale(const Exec& exec, const Scalar beta, const Y& y) {
  Kokkos::parallel_for(
      "ashlar::spmv[alpha=0]", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, y.extent(0)),
      KOKKOS_LAMBDA(std::int64_t i) { y(i) = beta == Scalar(0) ? Scalar(0) : beta * y(i); });
}

}  // namespace ashlar::impl
