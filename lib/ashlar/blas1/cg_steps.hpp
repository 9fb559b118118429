#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/blas1/impl/conj_product.hpp>
#include <ashlar/blas1/impl/entries.hpp>

namespace ashlar {

/// The step of CG in one pass: x += alpha*p, r -= alpha*q, rr() := ||r||^2, with alpha = rz() / pq().
///
/// Nothing is changed (and rr() is the norm of r as it is) where running() is false, or alpha would not be a positive
/// finite number: x stays the last good one.
///
/// Memory   everything reachable from `exec`; the four scalars are views of rank 0, read and written on the device.
/// They
///          may be of higher precision than the vectors.
/// Async    enqueued on `exec`; no fence, no allocation once the instance has its scratch memory.
/// Traffic  |p| + |q| + 2|x| + 2|r| bytes.
template <execution_space Exec, class Flag, class Real, class P, class X>
void cg_step(const Exec& exec, const Flag& running, const Real& rz, const Real& pq, const P& p, const P& q, const X& x,
             const P& r, const Real& rr) {
  using Value = typename Real::non_const_value_type;
  using Entry = real_t<typename X::non_const_value_type>;
  Kokkos::parallel_reduce(
      "ashlar::cg_step", impl::entries(exec, x.extent(0)),
      KOKKOS_LAMBDA(std::int64_t i, Value & sum) {
        const Value alpha = rz() / pq();
        if (running() && pq() > Value(0) && Kokkos::isfinite(alpha)) {
          x(i) += Entry(alpha) * p(i);
          r(i) -= Entry(alpha) * q(i);
        }
        sum += impl::conj_product<Value>(r(i), r(i));
      },
      rr);
}

/// The next direction of CG: p := z + beta()*p; nothing where running() is false.
///
/// Memory   everything reachable from `exec`; beta and running are views of rank 0.
/// Async    enqueued on `exec`; no fence, no allocation.
/// Traffic  |z| + 2|p| bytes.
template <execution_space Exec, class Flag, class Real, class Z, class P>
void cg_direction(const Exec& exec, const Flag& running, const Real& beta, const Z& z, const P& p) {
  using Entry = real_t<typename P::non_const_value_type>;
  Kokkos::parallel_for(
      "ashlar::cg_direction", impl::entries(exec, p.extent(0)), KOKKOS_LAMBDA(std::int64_t i) {
        if (running()) p(i) = z(i) + Entry(beta()) * p(i);
      });
}

}  // namespace ashlar
