#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/blas1/impl/entries.hpp>

namespace ashlar {

/// result() := ||x||_2^2, a real number.
///
/// Shapes   result of rank 0.
/// Memory   x and the result reachable from `exec`: it stays on the device.
/// Async    enqueued on `exec`; no fence, no allocation once the instance has its scratch memory.
/// Traffic  |x| bytes.
template <execution_space Exec, vector_view X, class Result>
void norm2_squared(const Exec& exec, const X& x, const Result& result) {
  using Real = real_t<typename X::non_const_value_type>;
  static_assert(Kokkos::is_view_v<Result> && Result::rank() == 0,
                "ashlar::norm2_squared: the result is a view of rank 0");
  static_assert(reachable_from<Exec, X> && reachable_from<Exec, Result>,
                "ashlar::norm2_squared: x and the result must be reachable from the execution space");
  Kokkos::parallel_reduce(
      "ashlar::norm2_squared", impl::entries(exec, x.extent(0)),
      KOKKOS_LAMBDA(std::int64_t i, Real& sum) { sum += abs_squared(x(i)); }, result);
}

/// ||x||_2, on the host.
///
/// Async    waits for `exec`.
/// Traffic  |x| bytes.
template <execution_space Exec, vector_view X>
real_t<typename X::non_const_value_type> norm2(const Exec& exec, const X& x) {
  using Real = real_t<typename X::non_const_value_type>;
  static_assert(reachable_from<Exec, X>, "ashlar::norm2: x must be reachable from the execution space");
  Real squared(0);
  Kokkos::parallel_reduce(
      "ashlar::norm2", impl::entries(exec, x.extent(0)),
      KOKKOS_LAMBDA(std::int64_t i, Real& sum) { sum += abs_squared(x(i)); }, squared);
  exec.fence("ashlar::norm2: result");
  return Kokkos::sqrt(squared);
}

}  // namespace ashlar
