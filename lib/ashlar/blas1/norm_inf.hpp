#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/blas1/impl/entries.hpp>

namespace ashlar {

/// max |x_i|, on the host; of a complex entry the larger of its parts, so that nothing is squared. Infinite if an entry
/// is NaN or infinite.
///
/// Shapes   x is a vector, contiguous or not: a column of a block, for instance.
/// Async    waits for `exec`.
/// Traffic  |x| bytes.
template <execution_space Exec, class X>
real_t<typename X::non_const_value_type> norm_inf(const Exec& exec, const X& x) {
  using Real = real_t<typename X::non_const_value_type>;
  static_assert(Kokkos::is_view_v<X> && X::rank() == 1, "ashlar::norm_inf: x must be a vector");
  static_assert(reachable_from<Exec, X>, "ashlar::norm_inf: x must be reachable from the execution space");
  Real largest(0);
  Kokkos::parallel_reduce(
      "ashlar::norm_inf", impl::entries(exec, x.extent(0)),
      KOKKOS_LAMBDA(std::int64_t i, Real & most) {
        const Real size = is_finite(x(i)) ? Kokkos::max(Kokkos::abs(real(x(i))), Kokkos::abs(imag(x(i))))
                                          : Kokkos::Experimental::infinity_v<Real>;
        if (size > most) most = size;
      },
      Kokkos::Max<Real>(largest));
  exec.fence("ashlar::norm_inf: result");
  return x.extent(0) == 0 ? Real(0) : largest;
}

}  // namespace ashlar
