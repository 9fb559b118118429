#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/blas1/impl/conj_product.hpp>
#include <ashlar/blas1/impl/entries.hpp>
#include <type_traits>

namespace ashlar {

/// result() := ||x||_2^2, a real number; summed in the precision of the result.
///
/// Shapes   result of rank 0.
/// Memory   x and the result reachable from `exec`: it stays on the device.
/// Async    enqueued on `exec`; no fence, no allocation once the instance has its scratch memory.
/// Traffic  |x| bytes.
template <execution_space Exec, vector_view X, class Result>
void norm2_squared(const Exec& exec, const X& x, const Result& result) {
  using Real = typename Result::value_type;
  static_assert(Kokkos::is_view_v<Result> && Result::rank() == 0 && std::is_floating_point_v<Real>,
                "ashlar::norm2_squared: the result is a view of rank 0 of a real number");
  static_assert(reachable_from<Exec, X> && reachable_from<Exec, Result>,
                "ashlar::norm2_squared: x and the result must be reachable from the execution space");
  Kokkos::parallel_reduce(
      "ashlar::norm2_squared", impl::entries(exec, x.extent(0)),
      KOKKOS_LAMBDA(std::int64_t i, Real & sum) { sum += impl::conj_product<Real>(x(i), x(i)); }, result);
}

/// ||x||_2, on the host, summed in double. 0 for a vector so small that the squares of its entries underflow.
///
/// Async    waits for `exec`.
/// Traffic  |x| bytes.
template <execution_space Exec, vector_view X>
double norm2(const Exec& exec, const X& x) {
  static_assert(reachable_from<Exec, X>, "ashlar::norm2: x must be reachable from the execution space");
  double squared = 0;
  Kokkos::parallel_reduce(
      "ashlar::norm2", impl::entries(exec, x.extent(0)),
      KOKKOS_LAMBDA(std::int64_t i, double& sum) { sum += impl::conj_product<double>(x(i), x(i)); }, squared);
  exec.fence("ashlar::norm2: result");
  return Kokkos::sqrt(squared);
}

}  // namespace ashlar
